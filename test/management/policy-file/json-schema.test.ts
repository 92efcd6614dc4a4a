// policy.schema.json, which editors read: it takes what is exported, and refuses every file whose form is wrong.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { policyJsonSchema } from '../../../src/http/policy-json-schema.ts'
import { misfits, withEmptyBlocks } from '../../../src/management/rules/shape.ts'
import { PolicyFile } from '../../../src/management/schemas/policy-file.ts'
import { compileSchema } from '../../support/compile-schema.ts'
import { OTHERS, placesOf, withAt } from '../../support/other-values.ts'
import { BROKEN } from './broken-files.ts'

const POLICY: object = JSON.parse(readFileSync(new URL('../bundle.json', import.meta.url), 'utf8'))

/** Without the alphabets and lengths of keys and texts, which are documentation: the use cases say more of them. */
const form = JSON.parse(JSON.stringify(policyJsonSchema()), (word, value) =>
  /^(pattern|maxLength|maxItems|maxProperties)$/.test(word) && typeof value !== 'object' ? undefined : value,
)
const isInForm = compileSchema(form)

describe('the JSON Schema of policy files', () => {
  it('takes an environment with everything in it, and knows the alphabet of keys', () => {
    const whole = compileSchema(policyJsonSchema())
    expect(whole(POLICY)).toBe(true)
    expect(whole({ zerohop: 2, roles: [{ key: 'power user' }] })).toBe(false)
  })

  it('describes every field of a file', () => {
    const { properties } = policyJsonSchema() as { properties: Record<string, { description?: string }> }
    expect(Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : [name]))).toEqual([])
  })

  it('takes and refuses the same values as validate does', () => {
    const broken = BROKEN.flatMap(({ texts: [text = ''] }) => {
      try {
        return [parse(text.replace(/[«»]/g, ''), { merge: false, logLevel: 'silent' }) as unknown]
      } catch {
        return []
      }
    })
    const others = [...placesOf(POLICY)].flatMap((place) => OTHERS.map((other) => withAt(POLICY, place, other)))
    const differing = [...broken, ...others].filter(
      (value) => isInForm(value) !== (misfits(PolicyFile, withEmptyBlocks(PolicyFile, value), []).length === 0),
    )
    expect(differing).toEqual([])
  })

  it('is written into the package when it is built', () => {
    const written = readFileSync(new URL('../../../policy.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(written)).toEqual(policyJsonSchema())
  })
})

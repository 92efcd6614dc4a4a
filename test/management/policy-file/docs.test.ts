// docs/policy-file.md: the fields are those of the schema, and its examples are right.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatPolicy } from '../../../src/management/policy-file/format.ts'
import { readPolicy } from '../../../src/management/policy-file/read-policy.ts'
import { EXAMPLES, withPolicyFields } from '../../support/policy-fields.ts'

const PAGE = new URL('../../../docs/policy-file.md', import.meta.url)

describe('docs/policy-file.md', () => {
  it('has the fields that the schema makes, each with a meaning; ZEROHOP_WRITE_DOCS=1 writes them', () => {
    const page = readFileSync(PAGE, 'utf8')
    const wanted = withPolicyFields(page)
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(PAGE, wanted)
    expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
    expect([...wanted.matchAll(/^\|.*\|\s*\|$/gm)].map(([row]) => row)).toEqual([])
  })

  it('has examples that are one policy without errors and warnings, in the canonical form', () => {
    const { manages: _, ...examples } = EXAMPLES
    const text = Object.values(examples).join('')
    expect(readPolicy([{ name: 'policy.yaml', text }]).problems).toEqual([])
    for (const [field, example] of Object.entries(EXAMPLES)) {
      const whole = field === 'zerohop' ? example : EXAMPLES.zerohop + example
      expect(formatPolicy({ name: 'policy.yaml', text: whole }).text).toBe(whole)
    }
  })

  it('begins with a policy that is right', () => {
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8')) ?? []
    expect(text).toContain('zerohop: 2')
    expect(readPolicy([{ name: 'policy.yaml', text }]).problems).toEqual([])
  })
})

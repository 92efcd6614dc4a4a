// What is exported is read as the same: random policies are applied to an empty environment, exported as YAML and JSON,
// read again and applied, which makes the same environment. A policy applied twice changes nothing the second time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { Image } from '../../../src/image/image.ts'
import { realChanges } from '../../../src/management/plan/import.ts'
import { applyPolicy } from '../../../src/management/policy-file/apply-policy.ts'
import { countingMint, emptyEnvironment } from '../../../src/management/policy-file/empty-environment.ts'
import { exportEverything } from '../../../src/management/policy-file/export.ts'
import { formatPolicy } from '../../../src/management/policy-file/format.ts'
import { readPolicy } from '../../../src/management/policy-file/read-policy.ts'
import type { PolicyFile } from '../../../src/management/schemas/policy-file.ts'
import { policyOf } from '../../../src/management/snapshot/snapshot.ts'
import { Draft } from '../../../src/store/draft.ts'
import { parameters } from '../../property/seed.ts'
import { randomPolicies } from './random-policies.ts'

const ENVIRONMENT = '0'.repeat(32)

function makeEnvironment(policy: PolicyFile): Draft {
  const mint = countingMint()
  const draft = emptyEnvironment(mint)
  applyPolicy(draft, policy, mint)
  return draft
}

function read(text: string, name = 'policy.yaml'): PolicyFile {
  const { policy, problems } = readPolicy([{ name, text }])
  expect(
    problems.filter(({ severity }) => severity === 'error'),
    text,
  ).toEqual([])
  return policy
}

const draftHash = (draft: Draft): string =>
  Image.build(ENVIRONMENT, { revision: 1, chain: '0'.repeat(64) }, policyOf(draft)).hash()

describe('an environment', () => {
  it('is exported, read and applied as the same', () => {
    fc.assert(
      fc.property(randomPolicies, (policy) => {
        const first = makeEnvironment(read(stringify(policy)))
        const exported = JSON.parse(JSON.stringify(exportEverything(first))) as PolicyFile
        const text = formatPolicy({ name: 'policy.yaml', text: stringify(exported) }).text ?? ''
        for (const again of [read(text), read(JSON.stringify(exported), 'policy.json')]) {
          const second = makeEnvironment(again)
          expect(exportEverything(second)).toEqual(exportEverything(first))
          expect(draftHash(second)).toBe(draftHash(first))
        }
      }),
      parameters(10),
    )
  })

  it('is not changed when the same policy is applied again, whole or in parts', () => {
    fc.assert(
      fc.property(randomPolicies, (policy) => {
        const first = makeEnvironment(policy)
        const parts: PolicyFile[] = Object.entries(policy).map(([field, value]) => ({ zerohop: 2, [field]: value }))
        for (const part of [policy, ...parts]) {
          const draft = new Draft(first)
          applyPolicy(draft, part, countingMint(1))
          expect(realChanges(draft)).toEqual([])
        }
      }),
      parameters(10),
    )
  })

  it('of several files is that of one', () => {
    fc.assert(
      fc.property(randomPolicies, (policy) => {
        const sources = Object.entries(policy).map(([field, value]) => {
          return { name: `${field}.yaml`, text: stringify({ zerohop: 2, [field]: value }) }
        })
        const { policy: merged, problems } = readPolicy(sources)
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
        expect(draftHash(makeEnvironment(merged))).toBe(draftHash(makeEnvironment(policy)))
      }),
      parameters(5),
    )
  })
})

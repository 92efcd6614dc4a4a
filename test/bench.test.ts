// The bench harness works: its worlds are decided as the definition decides them; bench-run.test.ts runs it. Nothing
// here says how fast anything is.
import { describe, expect, it } from 'vitest'
import { makeRuleWorld, rulePolicyChanges } from '../bench/rule-worlds.mjs'
import { makeWorld, policyChanges } from '../bench/workloads.mjs'
import { check } from './reference/check.ts'
import { toPolicy } from './reference/policy.ts'
import { runBench } from './support/bench.ts'

describe('the worlds of the bench', () => {
  it.each(['tiny', 'W1'] as const)('%s is decided by its own plain rule as by the definition', (name) => {
    const world = makeWorld(name, { checks: 500 })
    const policy = toPolicy(policyChanges(world))
    const decided = world.checks.map(({ user, action, resource, tenant }) =>
      check(policy, { user, action, resource: { type: resource, tenant } }),
    )
    expect(decided).toEqual(world.expected)
    const allowed = decided.filter(Boolean).length
    expect(allowed).toBeGreaterThan(200)
    expect(allowed).toBeLessThan(300)
  })

  it.each(['tiny-rules', 'W4', 'W4-1000'] as const)(
    '%s is decided by its own plain rule as by the definition',
    (name) => {
      const world = makeRuleWorld(name, { checks: 200 })
      const policy = toPolicy(rulePolicyChanges(world))
      const decided = world.checks.map(({ user, action, resource, tenant, sent }) =>
        check(policy, { user, action, resource: { type: resource, tenant }, sent }),
      )
      expect(decided).toEqual(world.expected)
      const allowed = decided.filter(Boolean).length
      expect(allowed).toBeGreaterThan(70)
      expect(allowed).toBeLessThan(130)
    },
  )

  it('are the same in every process', () => {
    expect(makeWorld('W1', { checks: 20 })).toEqual(makeWorld('W1', { checks: 20 }))
  })
})

describe('npm run bench', () => {
  it('says what it can do', async () => {
    const { stdout } = await runBench('--help')
    for (const word of ['--quick', '--only', '--facts', '--json', 'W2', 'curves']) expect(stdout).toContain(word)
  })

  it('refuses an unknown part and an unknown option in one line', async () => {
    await expect(runBench('--only', 'W9')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bench: .*W9\n$/),
    })
    await expect(runBench('--facts', '10000,5000')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bench: --facts .*1000.*\n$/),
    })
    await expect(runBench('--fast')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bench: .*--fast.*\n$/),
    })
  })
})

// Runs every case file over every decider. A case that one decider answers differently is a defect of that decider, or of the case.
import { afterAll, describe, expect, it } from 'vitest'
import type { Request } from '../reference/check.ts'
import { deciders } from '../support/deciders.ts'
import { httpDeciders } from '../support/http-deciders.ts'
import { type NamedCase, readCases, requestOf } from './cases.ts'

const cases = readCases()

describe.each([...deciders, ...httpDeciders])('$name', (decider) => {
  afterAll(() => decider.close?.())

  it.each(cases)('[$rule] $name', async ({ steps }: NamedCase) => {
    const session = await decider.open()
    try {
      for (const [index, step] of steps.entries()) {
        if (step.write) await session.write(step.write)
        const { checks = [], explains = [], permissions = [] } = step
        const answers: unknown[] = []
        for (const row of checks) answers.push([label(requestOf(row)), await session.check(requestOf(row))])
        const bulk = await session.bulkCheck(checks.map(requestOf))
        const expected = checks.map((row) => [label(requestOf(row)), row[3]])
        expect(answers, `step ${index}`).toEqual(expected)
        expect(bulk, `step ${index}, in bulk`).toEqual(checks.map((row) => row[3]))
        if (session.explain) {
          for (const row of explains)
            expect(await session.explain(requestOf(row)), `step ${index}, ${row}`).toBe(row[3])
        }
        if (session.permissions) {
          for (const [user, tenants] of permissions) {
            const expected = tenants.map(([tenant, roles, permissions]) => ({ tenant, roles, permissions }))
            expect(await session.permissions(user), `step ${index}, permissions of ${user}`).toEqual(expected)
          }
        }
      }
    } finally {
      await session.close?.()
    }
  })
})

const short = (text: string) => (text.length > 300 ? `${text.slice(0, 20)}… ${text.length} characters` : text)
const label = ({ user, action, resource }: Request) =>
  [user, action, resource.type, resource.key ?? '', resource.tenant ?? ''].map(short).join(' | ')

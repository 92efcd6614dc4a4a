// Runs every case file over deciders. A case that one decider answers differently is a defect of that decider, or of the case.
import { afterAll, describe, expect, it } from 'vitest'
import type { Request } from '../reference/request.ts'
import type { Decider, Session } from '../support/deciders.ts'
import { featuresOf, type NamedCase, readCases, requestOf, type Step } from './cases.ts'

const cases = readCases()

export function runCases(deciders: readonly Decider[]): void {
  for (const decider of deciders) {
    describe(decider.name, () => {
      afterAll(() => decider.close?.())

      for (const each of cases) {
        const { rule, name, steps } = each
        it(`[${rule}] ${name}`, async ({ skip }) => {
          const unknown = reasonToSkip(decider, each)
          if (unknown !== undefined) skip(unknown) // the decider says why it cannot be asked
          const session = await decider.open()
          try {
            for (const [index, step] of steps.entries()) await runStep(session, step, `step ${index}`)
          } finally {
            await session.close?.()
          }
        })
      }
    })
  }
}

/** Why this decider is not asked this case; undefined when it is. */
function reasonToSkip({ lacks = {} }: Decider, each: NamedCase): string | undefined {
  return [...featuresOf(each)].map((feature) => lacks[feature]).find((reason) => reason !== undefined)
}

async function runStep(session: Session, step: Step, at: string): Promise<void> {
  const { write, checks = [], explains = [], permissions = [] } = step
  if (write) await session.write(write)

  const answers: [string, boolean][] = []
  for (const row of checks) answers.push([label(requestOf(row)), await session.check(requestOf(row))])
  const expected = checks.map((row) => [label(requestOf(row)), row[3]])
  expect(answers, at).toEqual(expected)
  const bulk = await session.bulkCheck(checks.map(requestOf))
  expect(bulk, `${at}, in bulk`).toEqual(checks.map((row) => row[3])) // D12

  for (const row of explains) {
    const reasons = typeof row[3] === 'string' ? { rbac: row[3] } : row[3]
    expect(await session.explain(requestOf(row)), `${at}, ${label(requestOf(row))}`).toMatchObject(reasons)
  }
  for (const [user, tenants] of permissions) {
    const listed = tenants.map(([tenant, roles, allowed]) => ({ tenant, roles, permissions: allowed }))
    expect(await session.permissions(user), `${at}, permissions of ${user}`).toEqual(listed)
  }
}

const short = (text: string) => (text.length > 300 ? `${text.slice(0, 20)}… ${text.length} characters` : text)
const label = ({ user, action, resource, sent }: Request) =>
  [
    user,
    action,
    resource.type,
    resource.key ?? '',
    resource.tenant ?? '',
    sent === undefined ? '' : JSON.stringify(sent),
  ]
    .map(short)
    .join(' | ')

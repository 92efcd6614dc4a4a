// Runs every case file over deciders. A case that one decider answers differently is a defect of that decider, or of
// the case.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import type { Request } from '../reference/request.ts'
import type { Decider, Questions, Session } from '../support/deciders.ts'
import { IS_WHOLE } from '../support/sample.ts'
import { askerKey, collectFeatures, type NamedCase, readCases, type Step, toRequest } from './cases.ts'

const cases = readCases()

/** @param turns in a normal run each case is asked of every second of them, every third and so on; the next case of others */
export function runCases(deciders: readonly Decider[], { turns = 1 } = {}): void {
  for (const [turn, decider] of deciders.entries()) {
    const own = IS_WHOLE ? cases : cases.filter((_, at) => (at + turn) % turns === 0)
    describe(decider.name, () => {
      afterAll(() => decider.close?.())

      for (const each of own) {
        const { rule, name, steps } = each
        it(`[${rule}] ${name}`, async ({ skip }) => {
          const unknown = reasonToSkip(decider, each)
          if (unknown !== undefined) skip(unknown) // the decider says why it cannot be asked
          const session = await decider.open(collectFeatures(each))
          try {
            for (const [index, step] of steps.entries()) {
              const lack = await session.write(step.write ?? [])
              if (lack !== undefined) skip(lack.reason)
              await runStep(session, step, `step ${index}`)
            }
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
  return [...collectFeatures(each)].map((feature) => lacks[feature]).find((reason) => reason !== undefined)
}

async function runStep(session: Session, step: Step, at: string): Promise<void> {
  const inTime = (asked: Questions): Questions => (step.at === undefined ? asked : asked.at!(step.at))
  await askStep(inTime(session), step, at)
  for (const [name, other] of session.others ?? []) await askStep(inTime(other), step, `${at}, ${name}`)
}

/** Asks everything that a step says. */
export async function askStep(session: Questions, step: Step, at: string): Promise<void> {
  const { checks = [], explains = [], permissions = [] } = step
  const requests = checks.map(toRequest)
  const expected = checks.map((row) => row[3])
  const answers: boolean[] = []
  for (const request of requests) answers.push(await session.check(request))
  // questions are written out only where one of thousands has another answer
  if (!isDeepStrictEqual(answers, expected)) {
    const labelled = (row: readonly boolean[]) => row.map((answer, index) => [label(requests[index]!), answer])
    expect(labelled(answers), at).toEqual(labelled(expected))
  }
  const bulk = requests.length === 0 ? [] : await session.bulkCheck(requests)
  if (!isDeepStrictEqual(bulk, expected)) expect(bulk, `${at}, in bulk`).toEqual(expected) // D12

  for (const row of explains) {
    const reasons = typeof row[3] === 'string' ? { rbac: row[3] } : row[3]
    expect(await session.explain(toRequest(row)), `${at}, ${label(toRequest(row))}`).toMatchObject(reasons)
  }
  for (const [named, tenants, context] of permissions) {
    const { user, sent } = toRequest([named, '', '', null, context])
    const listed = tenants.map(([tenant, roles, allowed]) => ({ tenant, roles, permissions: allowed }))
    expect(await session.permissions(user, sent), `${at}, permissions of ${user}`).toEqual(listed)
  }
  for (const row of step.undecided ?? []) {
    const asked = async () => session.check(toRequest(row))
    await expect(asked(), `${at}, ${label(toRequest(row))}`).rejects.toMatchObject({ code: 'UNDECIDED' })
  }
  await runListings(session, step, at)
}

/** D12: each listing is exactly the questions that check allows. */
async function runListings({ listings }: Questions, step: Step, at: string): Promise<void> {
  for (const [named, rows, context] of step.instance_permissions ?? []) {
    const { user, sent } = toRequest([named, '', '', null, context])
    const listed = rows.map(([instance, roles, permissions]) => ({ instance, roles, permissions }))
    expect(await listings!.instancePermissions(user, sent), `${at}, permissions of ${user} on instances`).toEqual(
      listed,
    )
  }
  for (const [action, resource, users, context] of step.users ?? []) {
    const request = toRequest(['', action, resource, null, context])
    expect(await listings!.users(request), `${at}, users: ${label(request)}`).toEqual(users)
  }
  for (const row of step.instances ?? []) {
    expect(await listings!.instances(toRequest(row)), `${at}, instances: ${label(toRequest(row))}`).toEqual(row[3])
  }
  for (const [user, resource, actions, context] of step.actions ?? []) {
    const request = toRequest([user, '', resource, null, context])
    expect(await listings!.actions(request), `${at}, actions: ${label(request)}`).toEqual(actions)
  }
  for (const row of step.tenants ?? []) {
    expect(await listings!.tenants(toRequest(row)), `${at}, tenants: ${label(toRequest(row))}`).toEqual(row[3])
  }
  for (const [action, resource, users, context] of step.authorized ?? []) {
    const request = toRequest(['', action, resource, null, context])
    expect(await listings!.authorized(request), `${at}, authorized: ${label(request)}`).toEqual(users)
  }
  for (const [user, tenants] of step.user_tenants ?? []) {
    expect(await listings!.userTenants(askerKey(user)), `${at}, tenants with roles of ${user}`).toEqual(tenants)
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
    resource.relations === undefined ? '' : JSON.stringify(resource.relations),
    sent === undefined ? '' : JSON.stringify(sent),
  ]
    .map(short)
    .join(' | ')

// The doors of people who look after a policy: access reviews, and what a change of the policy gives and takes.
import type { GroupedBy } from '../../../src/image/access-review/counts.ts'
import type { ComparedLine, ReviewPlace } from '../../../src/image/access-review/review.ts'
import { Image } from '../../../src/image/image.ts'
import type { AccessFilter, AccessLine } from '../../../src/model/access-line.ts'
import { MODULES } from '../../property/live-ids-law.ts'
import { MIDNIGHT } from '../../property/values.ts'
import { definedDiff } from '../../reference/access-diff.ts'
import { check } from '../../reference/check.ts'
import { EVERYBODY, holdersFor } from '../../reference/everybody.ts'
import { type Policy, toPolicy } from '../../reference/policy.ts'
import { isSuspended } from '../../reference/suspensions.ts'
import { sortedChange, toAccessChange } from '../access-changes.ts'
import { ENVIRONMENT, makePosition } from '../deltas.ts'
import type { World } from '../world.ts'
import type { Asked } from './asked.ts'
import { type Door, findLack, Lack, type Place } from './door.ts'

const PAGE_LINES = 100
const PAGE_WORK = 400

/** All lines of a review, joined from pages. */
function listLines(image: Image, filter: AccessFilter, t: number, { AccessReview } = MODULES): ComparedLine[] {
  const lines: ComparedLine[] = []
  image.inside((inside) => {
    for (let after: ReviewPlace | undefined; ; ) {
      const page = new AccessReview(inside, undefined, { filter, changed: false }).page(after, PAGE_LINES, PAGE_WORK)
      lines.push(...page.lines)
      if (page.next === undefined) return
      after = page.next
    }
  }, t)
  return lines
}

/** With nothing sent but the time: true, false, or null where it depends on what is sent. */
function reviewed(
  image: Image,
  { request, policy, tenant, t = MIDNIGHT }: Asked,
  modules: typeof MODULES,
): boolean | null | Lack {
  const { user, action, resource } = request
  const { type, key } = resource
  const lack = findLack([resource.relations !== undefined, 'it takes no relations'])
  if (lack !== undefined) return lack
  if (key !== undefined && policy.resource_instance.get(`${type}:${key}`)?.tenant !== tenant)
    return new Lack('it reviews what is stored, each in its own tenant')
  const holders = isSuspended(policy, user) ? [user] : holdersFor(user) // D16: what everybody has is asked for as such
  const covers = (line: ComparedLine) =>
    line.action === action &&
    line.resource === type &&
    (line.tenant ?? tenant) === tenant &&
    (line.resource_instance === null || line.resource_instance === key)
  const lines = holders.flatMap((holder) =>
    listLines(image, { user: holder, action, resource: type }, t, modules).filter(covers),
  )
  if (!policy.tenant.has(tenant)) return new Lack('it reviews what is stored, each in its own tenant')
  // what is derived from what everybody has is kept away from who has a direct role (D5), which its line does not say
  const mayNotHold = ({ user: holder, derived }: ComparedLine) => holder !== user && derived
  if (lines.some((line) => line.access === 'allowed' && !mayNotHold(line))) return true
  return lines.some(({ access }) => access === 'allowed' || access === 'conditional') ? null : false
}

/** The counts of all users, in steps of little work. */
function countUsers(image: Image, by: GroupedBy, t: number, { ReviewCounts } = MODULES) {
  const counts = image.inside((inside) => new ReviewCounts(inside, by), t)
  while (image.guardAt(t, () => counts.step(PAGE_WORK)));
  return counts.groups
}

/** By action what the lines say, which are found in another way; by role what an image that was built anew says. */
function definedCounts(world: World, t: number) {
  const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
  const lines = listLines(image, {}, t)
  const resource = countUsers(image, 'resource', t).map(({ key, permissions }) => {
    const about = lines.filter(
      ({ resource: type, action, user }) => `${type}:${action}` === key && user !== EVERYBODY, // who is not a user
    )
    const who = (wanted: AccessLine['access']) =>
      new Set(about.filter(({ access }) => access === wanted).map(({ user }) => user))
    const [allowed, conditional] = [who('allowed'), who('conditional')]
    for (const user of allowed) conditional.delete(user)
    const isOfAll = lines.some(
      ({ resource: type, action, user, access }) =>
        `${type}:${action}` === key && user === EVERYBODY && access === 'allowed',
    )
    const everybody = isOfAll ? { everybody: true as const } : {}
    return { key, users: allowed.size, conditional: conditional.size, permissions, ...everybody }
  })
  return { role: countUsers(image, 'role', t), resource }
}

/** The definition of a diff asks every question of both policies. */
const QUESTIONS_MAX = 6_000

function countQuestions(policies: readonly Policy[]): number {
  const sizes = policies.map(({ user, tenant, resource, resource_instance }) => {
    const actions = [...resource.values()].reduce((sum, each) => sum + each.actions.length, 0)
    return user.size * actions * (tenant.size + resource_instance.size)
  })
  return Math.max(...sizes)
}

/** What is the same whatever is asked about is asked once for each image. */
function isAgain(kept: Place['kept'], name: string): boolean {
  if (kept.has(name)) return true
  kept.set(name, true)
  return false
}

/** @param modules what is tested */
export const accessDoorsWith = (modules: typeof MODULES): readonly Door[] => [
  {
    name: 'access review',
    say: ({ image }, asked) => reviewed(image, asked, modules),
    right: ({ request, policy, t = MIDNIGHT }) => {
      const { user, action, resource } = request
      return check(policy, { user, action, resource, sent: { context: { now: t } } })
    },
    agrees: (answer, right) => answer === null || answer === right,
  },
  {
    name: 'access counts',
    say: ({ image, kept }, { request: { resource }, t = MIDNIGHT }) => {
      if (isAgain(kept, `access counts ${image.revision} ${resource.type} ${t}`))
        return new Lack('it answers the same to every question')
      return { role: countUsers(image, 'role', t, modules), resource: countUsers(image, 'resource', t, modules) }
    },
    right: (asked) => asked.once('counts', () => definedCounts(asked.world, asked.t ?? MIDNIGHT)),
  },
  {
    name: 'access diff',
    say: ({ image, before, kept }, { policy, t = MIDNIGHT }) => {
      if (before === undefined || before.changes.length === 0) return new Lack('there is nothing to compare with')
      if (countQuestions([before.policy, policy]) > QUESTIONS_MAX) return new Lack('there is too much to compare')
      if (isAgain(kept, `access diff ${image.revision} ${t}`)) return new Lack('it answers the same to every question')
      const { access } = modules.accessDiff(before.image, image, before.changes, { now: t, first: 10_000 })
      return { was: before.policy, gained: access.gained, lost: access.lost }
    },
    right: (asked, answer) =>
      asked.once('diff', () => {
        const { was } = answer as { was: Policy }
        const { listed } = definedDiff(was, toPolicy(asked.world.contents()), asked.t ?? MIDNIGHT)
        return { gained: toAccessChange(listed.gained), lost: toAccessChange(listed.lost) }
      }),
    agrees: (answer, right) => sortedChange(answer) === sortedChange(right),
  },
]

export const ACCESS_DOORS = accessDoorsWith(MODULES)

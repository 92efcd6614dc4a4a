// Faults that the law of ways and doors must find: a way or a door that is wrong in one point. Each is put in place of
// the right one, beside everything that could show it.
import { Order } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyKind } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import type { Request } from '../reference/request.ts'
import { ENVIRONMENT } from '../support/deltas.ts'
import { filterWith } from '../support/doors/rows.ts'
import type { Asked, Door, Place } from '../support/doors.ts'
import { inACircle } from '../support/forged-image.ts'
import { type Kept, type Step, type Way, WayLack } from '../support/ways.ts'
import type { Product } from './ways-law.ts'

type Fault = (product: Product) => Pick<Product, 'ways' | 'doors'>

const named = <T extends { readonly name: string }>(list: readonly T[], name: string): T => {
  const found = list.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

/** Replaces the answer of one door; the door is asked everything that a story asks. */
const door =
  (name: string, say: (right: Door, place: Place, asked: Asked) => unknown): Fault =>
  ({ ways, doors }) => {
    const right = named(doors, name)
    const wrong: Door = { ...right, say: (place, asked) => say(right, place, asked) }
    return { ways: ways.filter(({ kind }) => kind === 'live').slice(0, 4), doors: [wrong] }
  }

/** One way leads elsewhere; every door is asked about it. */
const way =
  (name: string, change: (kept: Kept) => Kept): Fault =>
  ({ ways, doors }) => {
    const right = named(ways, name)
    return { ways: [{ ...right, open: async (opening) => change(await right.open(opening)) } satisfies Way], doors }
  }

/** Asks by another image than the one that is shown. */
async function by(image: Image, right: Door, place: Place, asked: Asked): Promise<unknown> {
  place.desk.show(image)
  try {
    return await right.say({ ...place, image }, asked)
  } finally {
    place.desk.show(place.image)
  }
}

/** A door that goes on to answer by what it knew when this was true. */
const remembering =
  (isKnown: (asked: Asked) => boolean) =>
  (right: Door, place: Place, asked: Asked): unknown => {
    if (isKnown(asked)) {
      place.kept.set('remembered', place.image.clone())
      return right.say(place, asked)
    }
    const before = place.kept.get('remembered') as Image | undefined
    return before === undefined ? right.say(place, asked) : by(before, right, place, asked)
  }

const isStored = ({ policy, request, tenant }: Asked): boolean =>
  policy.user.has(request.user) && policy.tenant.has(tenant)

const withoutContext = ({ sent: { context: _, ...sent } = {}, ...request }: Request): Request => ({ ...request, sent })

function withoutTime({ sent: { context: { now: _, ...context } = {}, ...sent } = {}, ...request }: Request): Request {
  return { ...request, sent: { ...sent, context } }
}

/** A revision whose number this is does not arrive. */
const missing =
  (isMissing: (step: Step) => boolean) =>
  (kept: Kept): Kept => ({
    ...kept,
    write: (step) => kept.write(isMissing(step) ? { ...step, written: [] } : step),
  })

/** What is about roles for everybody does not arrive; or only what takes them away does not. */
const withoutEverybody =
  (op?: 'delete') =>
  (kept: Kept): Kept => ({
    ...kept,
    write: (step) =>
      kept.write({
        ...step,
        written: step.written.map(({ operation, changes }) => ({
          operation,
          changes: changes.filter((change) => !isOfEverybody(change) || (op !== undefined && change.op !== op)),
        })),
      }),
  })

const isOfEverybody = ({ kind, key }: PolicyChange): boolean =>
  kind === 'role_assignment' && key.startsWith(`${EVERYBODY}/`)

/** Everything but the objects of one kind; of them those that are lost. */
const losing =
  (kind: PolicyKind, isLost: (change: PolicyChange) => boolean = () => true) =>
  (kept: Kept): Kept => ({
    ...kept,
    async image() {
      const image = await kept.image()
      if (image instanceof WayLack) return image
      const contents = [...image.contents()].filter((change) => change.kind !== kind || !isLost(change))
      return Image.build(ENVIRONMENT, image.position, contents)
    },
  })

/** An order of keys that somebody closed to a circle. */
const forged = (kept: Kept): Kept => ({
  ...kept,
  async image() {
    const image = await kept.image()
    return image instanceof WayLack ? image : Image.load(inACircle(image.save(), Order.Users), { verified: true })
  },
})

/** What a rule names is found anew when it is deleted: of a role and a set of one key, the other one's rule goes. */
function resolvedAnew(kept: Kept): Kept {
  const turned = (key: string): string =>
    key.startsWith('__autogen_') ? key.slice('__autogen_'.length) : `__autogen_${key}`
  return {
    ...kept,
    write(step) {
      const written = step.written.map(({ operation, changes }) => {
        if (operation[1] !== 'set_rule' || operation[0] === 'delete') return { operation, changes }
        const renamed = changes.map((change) => {
          if (change.op !== 'put' || change.kind !== 'set_rule') return change
          const { user_set, permission, resource_set } = change.value
          const other = turned(user_set)
          const isThere = other.startsWith('__autogen_')
            ? step.world.policy.role.has(other.slice('__autogen_'.length))
            : step.world.policy.condition_set.has(other)
          if (!isThere) return change
          const key = `${other}/${permission}/${resource_set}`
          return { ...change, key, value: { user_set: other, permission, resource_set } }
        })
        return { operation, changes: renamed }
      })
      return kept.write({ ...step, written })
    },
  }
}

/** Without what everybody has. */
const ofUsersAlone = (image: Image): Image =>
  Image.build(
    ENVIRONMENT,
    image.position,
    [...image.contents()].filter((change) => !isOfEverybody(change)),
  )

/** Answers by an image of other contents. */
const byOther =
  (change: (contents: readonly PolicyChange[]) => readonly PolicyChange[]) =>
  (right: Door, place: Place, asked: Asked): Promise<unknown> => {
    const contents = change([...place.image.contents()])
    return by(Image.build(ENVIRONMENT, place.image.position, contents), right, place, asked)
  }

type Of<K extends PolicyKind> = Extract<PolicyChange, { readonly op: 'put'; readonly kind: K }>
const isPut =
  <K extends PolicyKind>(kind: K) =>
  (change: PolicyChange): change is Of<K> =>
    change.op === 'put' && change.kind === kind
const isGivenByTenant = (change: PolicyChange): change is Of<'role_assignment'> =>
  isPut('role_assignment')(change) && change.value.role.includes('@')

/** Who has the role of a tenant has one of the environment of its bare key too, without a permission. */
function withBareKeys(contents: readonly PolicyChange[]): PolicyChange[] {
  const known = new Set(contents.filter(isPut('role')).map(({ key }) => key))
  const bare = contents.filter(isGivenByTenant).flatMap((given): PolicyChange[] => {
    const { user, role: whole, tenant, ...rest } = given.value
    const role = whole.slice(0, whole.indexOf('@'))
    if (known.has(role)) return []
    const put = { op: 'put', kind: 'role', key: role, value: { permissions: [], extends: [] } } as const
    return [put, { ...given, key: `${user}/${role}/${tenant}`, value: { ...rest, user, role, tenant } }]
  })
  return [...contents, ...bare]
}

/** Who has the role of a tenant has what it gives in every tenant. */
function inEveryTenant(contents: readonly PolicyChange[]): PolicyChange[] {
  const own = contents.filter(isPut('tenant_role'))
  const names = new Map(own.map(({ key }, at) => [key, `of-a-tenant-${at}`]))
  const roles = own.map(({ key, value: { permissions, extends: parents } }): PolicyChange => {
    const value = { permissions, extends: parents.map((parent) => names.get(parent) ?? parent) }
    return { op: 'put', kind: 'role', key: names.get(key)!, value }
  })
  const tenants = contents.filter(isPut('tenant')).map(({ key }) => key)
  const given = contents.filter(isGivenByTenant).flatMap((each) =>
    tenants.map((tenant): PolicyChange => {
      const role = names.get(each.value.role)!
      return { ...each, key: `${each.value.user}/${role}/${tenant}`, value: { ...each.value, role, tenant } }
    }),
  )
  return [...contents, ...roles, ...given]
}

/** Roles of tenants extend nothing. */
const withoutParents = (contents: readonly PolicyChange[]): PolicyChange[] =>
  contents.map((change) =>
    isPut('tenant_role')(change) ? { ...change, value: { ...change.value, extends: [] } } : change,
  )

/** Without what tenants made, and what they gave of it. */
const withoutRolesOfTenants = (kept: Kept): Kept => ({
  ...kept,
  async image() {
    const image = await kept.image()
    if (image instanceof WayLack) return image
    const contents = [...image.contents()].filter((change) => change.kind !== 'tenant_role' && !isGivenByTenant(change))
    return Image.build(ENVIRONMENT, image.position, contents)
  },
})

const LARGE = 6

export const FAULTS: Readonly<Record<string, Fault>> = {
  'a filter still uses the ids of a deleted user or tenant': door('filter in memory', remembering(isStored)),
  'a snapshot still has the etag of what was deleted': door(
    'page by a snapshot over HTTP, under its etag',
    remembering(isStored),
  ),
  'a check looks a deleted user up': door('check', remembering(isStored)),
  'a door ignores the context': door('POST /allowed', (right, place, asked) =>
    right.say(place, asked.about(withoutContext(asked.request))),
  ),
  'the time of a question is dropped': door('check', (right, place, asked) =>
    right.say(place, asked.about(withoutTime(asked.request))),
  ),
  'a listing leaves out the last': door('users', async (right, place, asked) => {
    const answer = await right.say(place, asked)
    return Array.isArray(answer) ? answer.slice(0, -1) : answer
  }),
  'a filter leaves out rows whose key is stored in another tenant': door('filter in memory', (_, place, asked) =>
    filterWith(place, asked, { tenantColumnIsAuthoritative: false }),
  ),
  'a page leaves rows of other tenants to nobody': door('page by a snapshot', async (right, place, asked) => {
    const answer = await right.say(place, asked)
    return Array.isArray(answer) ? answer.map((each) => each ?? true) : answer
  }),
  'a rule is kept under another name than it was written': way('deltas', resolvedAnew),
  'a delta does not arrive': way(
    'deltas in any cuts',
    missing(({ number }) => number === 2),
  ),
  'a large delta is not applied': way(
    'deltas',
    missing(({ number, written }) => number > 0 && written.length > LARGE),
  ),
  'a copied environment has no set rules': way('copied environment', losing('set_rule')),
  'a restored backup has no assigned roles': way('restored backup', losing('role_assignment')),
  'a forged image is loaded without a look at it': way('saved and loaded', forged),
  'a saved image has no relationships': way('saved and loaded', losing('relationship_tuple')),
  'a role for everybody does not arrive': way('deltas in any cuts', withoutEverybody()),
  'a role that is taken from everybody stays': way('deltas', withoutEverybody('delete')),
  'a restored backup has no roles for everybody': way('restored backup', losing('role_assignment', isOfEverybody)),
  'a replica has no roles for everybody': way("replica's fold", losing('role_assignment', isOfEverybody)),
  'facts as lines have no roles for everybody': way(
    'copied environment, its facts imported as lines',
    losing('role_assignment', isOfEverybody),
  ),
  'a policy file has no roles for everybody': way(
    'policy file, loaded without a server',
    losing('role_assignment', isOfEverybody),
  ),
  'a condition takes the bare key of a role of a tenant for one of the environment': door(
    'check',
    byOther(withBareKeys),
  ),
  'a role of a tenant counts in other tenants': door('check', byOther(inEveryTenant)),
  'a role of a tenant does not give what it extends': door('users', byOther(withoutParents)),
  'a restored backup has no roles of tenants': way('restored backup', withoutRolesOfTenants),
  'a door denies everything to who is not stored': door('POST /allowed', (right, place, asked) =>
    asked.policy.user.has(asked.request.user) ? right.say(place, asked) : false,
  ),
  'a door asks what users hold themselves': door('filter in memory', (right, place, asked) =>
    by(ofUsersAlone(place.image), right, place, asked),
  ),
}

// Worlds of resource instances: a forest of folders with documents at the bottom, people with many facts about them,
// and roles beside conditions and relations that the checks do not use. Changes are generated one by one, so that a
// million of them are never in memory at once.
import { makeRandom, policyChanges } from './workloads.mjs'

const OFF = { no_direct_roles_on_object: false }
const put = (kind, key, value) => ({ op: 'put', kind, key, value })
const pad = (number, digits) => String(number).padStart(digits, '0')

const folderKey = (number) => `folder:${pad(number, 7)}`
export const documentKey = (number) => `document:${pad(number, 7)}`
export const holderKey = (number) => `user-${pad(number, 6)}`
/** The user who may read ten folders of a thousand documents each, beside the forest. */
export const READER = 'reader'
const READ_FOLDERS = 10

/**
 * @typedef {object} Forest
 * @property {number[][]} levels the folders of each depth, by number
 * @property {number} documents in the folders of the deepest level, in turn
 * @property {number} beside documents in the ten folders beside the forest
 * @property {number[]} roots for each holder the root that he or she reads
 */

/** Eight tuples from a root to a document. @returns {Forest} */
export function makeForest(instances, { holders = 1_000, depth = 8, seed = 8 } = {}) {
  const random = makeRandom(seed)
  const branching = instances < 500_000 ? 2 : 4
  const ofRoot = (branching ** depth - 1) / (branching - 1)
  // A fifth of the instances are folders.
  const roots = Math.max(1, Math.floor((instances * 0.2) / ofRoot))
  const levels = []
  let next = 0
  for (let level = 0; level < depth; level++) {
    levels.push(Array.from({ length: roots * branching ** level }, () => next++))
  }
  const beside = Math.floor(instances / 100)
  return {
    levels,
    branching,
    folders: next,
    beside,
    documents: instances - next - READ_FOLDERS - beside,
    roots: Array.from({ length: holders }, () => Math.floor(random() * roots)),
  }
}

export const countTuples = ({ levels, folders, documents, beside }) => folders - levels[0].length + documents + beside

/** The folder of a document of the forest. */
export const documentFolder = ({ levels }, document) => folderKey(levels.at(-1)[document % levels.at(-1).length])

/** The root above a document of the forest. */
export function documentRoot({ levels, branching }, document) {
  const bottom = document % levels.at(-1).length
  return Math.floor(bottom / branching ** (levels.length - 1))
}

export function* forestChanges(forest, { tuples = true } = {}) {
  yield put('tenant', 'default', {})
  for (const resource of ['folder', 'document']) {
    yield put('resource', resource, { actions: ['read', 'write'] })
    const granted_to = {
      when: OFF,
      users_with_role: [{ role: 'reader', on_resource: 'folder', linked_by_relation: 'parent', when: OFF }],
    }
    const permissions = [`${resource}:read`]
    yield put('resource_role', `${resource}/reader`, { resource, role: 'reader', permissions, extends: [], granted_to })
  }
  for (let folder = 0; folder < forest.folders + READ_FOLDERS; folder++) yield instance(folderKey(folder))
  for (let document = 0; document < forest.documents + forest.beside; document++) yield instance(documentKey(document))
  for (const [number, root] of forest.roots.entries()) yield* reads(holderKey(number), folderKey(root))
  yield put('user', READER, {})
  for (let at = 0; at < READ_FOLDERS; at++) yield reading(READER, folderKey(forest.folders + at))
  if (tuples) yield* tupleChanges(forest)
}

function* tupleChanges({ levels, branching, folders, documents, beside }) {
  for (let level = 1; level < levels.length; level++) {
    for (const [at, folder] of levels[level].entries()) {
      yield within(folderKey(levels[level - 1][Math.floor(at / branching)]), folderKey(folder))
    }
  }
  const bottom = levels.at(-1)
  for (let at = 0; at < documents; at++) yield within(folderKey(bottom[at % bottom.length]), documentKey(at))
  for (let at = 0; at < beside; at++) {
    yield within(folderKey(folders + (at % READ_FOLDERS)), documentKey(documents + at))
  }
}

const instance = (key) => put('resource_instance', key, { tenant: 'default' })
const within = (subject, object) =>
  put('relationship_tuple', `${subject}/parent/${object}`, { subject, relation: 'parent', object })
const reading = (user, on) =>
  put('role_assignment', `${user}/reader/default/${on}`, {
    user,
    role: 'reader',
    tenant: 'default',
    resource_instance: on,
  })

function* reads(user, on) {
  yield put('user', user, {})
  yield reading(user, on)
}

/** People who hold roles in tenants and on instances, with `attributes` or without. */
export function* crowdChanges({ users, instances, assignments, attributes }) {
  const random = makeRandom(6)
  const below = (limit) => Math.floor(random() * limit)
  const tenants = Array.from({ length: 100 }, (_, at) => `tenant-${pad(at, 3)}`)
  const roles = Array.from({ length: 20 }, (_, at) => `role-${pad(at, 2)}`)
  const actions = ['read', 'write', 'share', 'delete']
  const types = attributes
    ? { attributes: { department: 'string', level: 'number', active: 'bool' } }
    : { attributes: {} }
  yield put('resource', '__user', { actions: [], ...types })
  yield put('resource', 'document', { actions, ...types })
  for (const [at, role] of roles.entries())
    yield put('role', role, { permissions: [`document:${actions[at % 4]}`], extends: [] })
  yield put('resource_role', 'document/editor', {
    resource: 'document',
    role: 'editor',
    permissions: ['document:write'],
    extends: [],
  })
  for (const tenant of tenants) yield put('tenant', tenant, {})
  const like = () =>
    attributes
      ? { attributes: { department: `department-${below(200)}`, level: below(10), active: below(2) === 0 } }
      : {}
  for (let user = 0; user < users; user++) yield put('user', holderKey(user), like())
  for (let at = 0; at < instances; at++) {
    yield put('resource_instance', documentKey(at), { tenant: tenants[at % tenants.length], ...like() })
  }
  // Half of the assignments in tenants, half on instances; each user holds several.
  for (let at = 0; at < assignments; at++) {
    const user = holderKey(at % users)
    const tenant = tenants[(at * 7 + Math.floor(at / users)) % tenants.length]
    if (at % 2 === 0) {
      const role = roles[below(roles.length)]
      yield put('role_assignment', `${user}/${role}/${tenant}`, { user, role, tenant })
    } else {
      const number = below(instances)
      const [on, where] = [documentKey(number), tenants[number % tenants.length]]
      yield put('role_assignment', `${user}/editor/${where}/${on}`, {
        user,
        role: 'editor',
        tenant: where,
        resource_instance: on,
      })
    }
  }
}

/** A world of roles, and on types of their own relations and rules about attributes. */
export function* besidesChanges(world, { instances = 20_000, rules = 500 } = {}) {
  yield* policyChanges(world)
  yield* forestChanges(makeForest(instances))
  yield put('resource', 'report', { actions: ['open'] })
  for (let at = 0; at < rules; at++) {
    const conditions = { 'user.department': { equals: `department-${at}` }, 'user.level': { 'greater-than': at % 10 } }
    yield put('condition_set', `set-${at}`, { type: 'userset', resource: null, conditions, parent: null })
    const value = { user_set: `set-${at}`, permission: 'report:open', resource_set: '__autogen_report' }
    yield put('set_rule', Object.values(value).join('/'), value)
  }
}

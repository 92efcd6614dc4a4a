// Worlds of unusual shape, each of about as many facts as it is asked for, with questions and their right answers: they
// are measured beside the ordinary world of the curves (curve-world.mjs).
import { FACTS_PER_TENANT, factLines, makeQuestions, POLICY } from './curve-world.mjs'

/** A chain of groups. */
export const GROUP_DEPTH = 50
const RULES = 5_000
const PERMISSIONS = 5_000
const ACTIONS = 100

const key = (name, at) => `${name}-${String(at).padStart(6, '0')}`
const numbers = (count) => Array.from({ length: Math.max(1, Math.round(count)) }, (_, at) => at)
const document = (at, tenant) => ({ resource: 'document', key: key('document', at), tenant })
const DOCUMENT = { key: 'document', actions: { read: {}, edit: {} }, roles: { editor: { permissions: ['edit'] } } }
const MEMBER = { key: 'member', permissions: ['document:read'] }

/** Lines of a file of facts as the lists of a part. */
function ordinary(facts) {
  const tenants = Math.max(1, Math.round(facts / FACTS_PER_TENANT))
  const lists = {}
  for (const line of factLines(tenants)) {
    const [[kind, fact]] = Object.entries(JSON.parse(line))
    if (kind === 'zerohop_facts') continue
    const section = `${kind}s`
    lists[section] ??= []
    lists[section].push(fact)
  }
  const [{ questions }] = makeQuestions(tenants, 200)
  const asked = questions.map(({ user, action, resource: { type, tenant }, expected }) => {
    return { user, action, type, tenant, expected }
  })
  return { policy: POLICY, lists, asked }
}

/** As many users as tenants, and each has a role in each. */
function everywhere(facts) {
  const each = numbers(Math.sqrt(facts))
  const [users, tenants] = [each.map((at) => key('user', at)), each.map((at) => key('tenant', at))]
  return {
    policy: { zerohop: 2, resources: [DOCUMENT], roles: [MEMBER] },
    lists: {
      tenants: tenants.map((tenant) => ({ key: tenant })),
      users: users.map((user) => ({ key: user })),
      role_assignments: users.flatMap((user) => tenants.map((tenant) => ({ user, role: 'member', tenant }))),
    },
    asked: users.map((user, at) => {
      return { user, action: at % 2 ? 'edit' : 'read', type: 'document', tenant: tenants[at], expected: at % 2 === 0 }
    }),
  }
}

/** One user has a role on each instance of a tenant: as many assignments as facts are asked for. */
function oneUser(facts) {
  const each = numbers(facts)
  const onInstance = (at) => ({ user: 'ana', role: 'editor', resource_instance: `document:${key('document', at)}` })
  return {
    policy: { zerohop: 2, resources: [DOCUMENT] },
    lists: {
      tenants: [{ key: 'acme' }],
      users: [{ key: 'ana' }, { key: 'ben' }],
      resource_instances: each.map((at) => document(at, 'acme')),
      role_assignments: each.map(onInstance),
    },
    asked: ['ana', 'ben'].flatMap((user) =>
      each.slice(0, 100).map((at) => {
        const on = { type: 'document', tenant: 'acme', key: key('document', at) }
        return { user, action: 'edit', ...on, expected: user === 'ana' }
      }),
    ),
  }
}

/** Rules on one permission, each for another department. */
function manyRules(facts) {
  const rules = numbers(Math.min(RULES, facts))
  const set = (at) => ({
    key: key('set', at),
    type: 'userset',
    conditions: { 'user.department': { equals: key('d', at) } },
  })
  const users = numbers(facts)
  return {
    policy: {
      zerohop: 2,
      user_attributes: { department: { type: 'string' } },
      resources: [DOCUMENT],
      condition_sets: rules.map(set),
      set_rules: rules.map((at) => {
        return { user_set: key('set', at), permission: 'document:read', resource_set: 'document' }
      }),
    },
    lists: {
      tenants: [{ key: 'acme' }],
      users: users.map((at) => ({
        key: key('user', at),
        attributes: { department: key('d', at % (2 * rules.length)) },
      })),
    },
    asked: users.slice(-200).map((at) => {
      const question = { user: key('user', at), action: 'read', type: 'document', tenant: 'acme' }
      return { ...question, expected: at % (2 * rules.length) < rules.length }
    }),
  }
}

/** Groups in groups: who is a member of the innermost one reads the document of the outermost one. */
function nestedGroups(facts) {
  const chains = numbers(facts / (2 * GROUP_DEPTH + 3))
  const depths = numbers(GROUP_DEPTH)
  const group = (chain, depth) => key(`group-${String(depth).padStart(2, '0')}`, chain)
  const derived = (on_resource, linked_by_relation) => {
    return { users_with_role: [{ role: 'member', on_resource, linked_by_relation }] }
  }
  return {
    policy: {
      zerohop: 2,
      resources: [
        {
          key: 'group',
          actions: { see: {} },
          relations: { inside: 'group' },
          roles: { member: { permissions: ['see'], granted_to: derived('group', 'inside') } },
        },
        {
          key: 'document',
          actions: { read: {}, edit: {} },
          relations: { shared: 'group' },
          roles: { reader: { permissions: ['read'], granted_to: derived('group', 'shared') } },
        },
      ],
    },
    lists: {
      tenants: [{ key: 'acme' }],
      users: chains.map((chain) => ({ key: key('user', chain) })),
      resource_instances: chains.flatMap((chain) => [
        ...depths.map((depth) => ({ resource: 'group', key: group(chain, depth), tenant: 'acme' })),
        document(chain, 'acme'),
      ]),
      relationship_tuples: chains.flatMap((chain) => [
        ...depths.slice(1).map((depth) => ({
          subject: `group:${group(chain, depth)}`,
          relation: 'inside',
          object: `group:${group(chain, depth - 1)}`,
        })),
        { subject: `group:${group(chain, 0)}`, relation: 'shared', object: `document:${key('document', chain)}` },
      ]),
      role_assignments: chains.map((chain) => ({
        ...{ user: key('user', chain), role: 'member', tenant: 'acme' },
        resource_instance: `group:${group(chain, GROUP_DEPTH - 1)}`,
      })),
    },
    asked: chains.slice(0, 100).flatMap((chain) =>
      ['read', 'edit'].map((action) => {
        const on = { type: 'document', tenant: 'acme', key: key('document', chain) }
        return { user: key('user', chain), action, ...on, expected: action === 'read' }
      }),
    ),
  }
}

/** A role that gives thousands of permissions, and users who have it. */
function wideRole(facts) {
  const actions = Object.fromEntries(numbers(ACTIONS).map((at) => [key('do', at), {}]))
  const types = numbers(PERMISSIONS / ACTIONS).map((at) => key('type', at))
  const users = numbers(facts / 2).map((at) => key('user', at))
  return {
    policy: {
      zerohop: 2,
      resources: [...types.map((type) => ({ key: type, actions })), DOCUMENT],
      roles: [
        { key: 'wide', permissions: types.flatMap((type) => Object.keys(actions).map((one) => `${type}:${one}`)) },
      ],
    },
    lists: {
      tenants: [{ key: 'acme' }],
      users: users.map((user) => ({ key: user })),
      role_assignments: users.map((user) => ({ user, role: 'wide', tenant: 'acme' })),
    },
    asked: users.slice(0, 100).flatMap((user, at) => [
      { user, action: key('do', at % ACTIONS), type: types[at % types.length], tenant: 'acme', expected: true },
      { user, action: 'read', type: 'document', tenant: 'acme', expected: false },
    ]),
  }
}

export const ORDINARY = ordinary
export const SHAPES = {
  'as many users as tenants, with a role in each': everywhere,
  'one user with a role on each instance': oneUser,
  [`${RULES.toLocaleString('en-US')} rules on one permission`]: manyRules,
  [`groups nested ${GROUP_DEPTH} deep`]: nestedGroups,
  [`a role with ${PERMISSIONS.toLocaleString('en-US')} permissions`]: wideRole,
}

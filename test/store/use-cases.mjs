// A small registry of use cases for the tests of the store, in the form of src/management but with nothing of its
// meaning. Plain JavaScript over the build, because a worker thread cannot load TypeScript. Types of the registry:
// test/store/support.ts.
import { randomUUID } from 'node:crypto'
import { put, remove } from '../../dist/src/log/change.js'
import { ZerohopError } from '../../dist/src/model/errors.js'

const named = (mint, key) => ({
  id: mint.id(),
  key,
  created_at: mint.now,
  updated_at: mint.now,
  name: key,
  description: null,
})

const user = (mint, key, rest = {}) => ({
  id: mint.id(),
  key,
  created_at: mint.now,
  updated_at: mint.now,
  email: null,
  first_name: null,
  last_name: null,
  attributes: {},
  ...rest,
})

const assignment = (mint, user, role, tenant) => ({
  id: mint.id(),
  key: `${user}/${role}/${tenant}`,
  created_at: mint.now,
  updated_at: mint.now,
  user,
  role,
  tenant,
  resource_instance: null,
})

export const useCases = {
  createUser(view, { key, ...rest }, mint) {
    view.refuse('user', key)
    const value = user(mint, key, rest)
    return { changes: [put('user', value)], status: 201, result: value }
  },

  renameUser(view, { key, first_name }, mint) {
    const value = { ...view.require('user', key), first_name, updated_at: mint.now }
    return { changes: [put('user', value)], result: value }
  },

  deleteUser(view, { key }) {
    const { key: found } = view.require('user', key, ['path', 'user'])
    const assignments = [...view.by('assignments_of_user', found)]
    const changes = [...assignments.map((held) => remove('role_assignment', held.key)), remove('user', found)]
    return { changes, result: changes.length }
  },

  createRole(view, { key, extends: parents = [] }, mint) {
    view.refuse('role', key)
    const value = { ...named(mint, key), permissions: [], extends: parents, attributes: null }
    return { changes: [put('role', value)], result: value }
  },

  setExtends(view, { key, extends: parents }) {
    return { changes: [put('role', { ...view.require('role', key), extends: parents })], result: null }
  },

  createTenant(view, { key }, mint) {
    view.refuse('tenant', key)
    const value = { ...named(mint, key), attributes: null, last_action_at: mint.now }
    return { changes: [put('tenant', value)], result: value }
  },

  assign(view, input, mint) {
    const { key: who } = view.require('user', input.user)
    const { key: role } = view.require('role', input.role)
    const { key: tenant } = view.require('tenant', input.tenant)
    const value = assignment(mint, who, role, tenant)
    view.refuse('role_assignment', value.key)
    return { changes: [put('role_assignment', value)], result: value }
  },

  /** A user with two roles in one step: three objects that may never be seen apart. */
  createMember(view, { key }, mint) {
    view.refuse('user', key)
    const values = [assignment(mint, key, 'admin', 'default'), assignment(mint, key, 'viewer', 'default')]
    return {
      changes: [put('user', user(mint, key)), ...values.map((value) => put('role_assignment', value))],
      result: key,
    }
  },

  /** Counts up and answers what it found: two that ran on the same view would answer the same. */
  countUp(view, _input, mint) {
    const known = view.get('user', 'counter')
    const count = Number(known?.first_name ?? '0') + 1
    const value = { ...(known ?? user(mint, 'counter')), first_name: String(count) }
    return { changes: [put('user', value)], result: count }
  },

  nothing: () => ({ changes: [], result: 'nothing' }),

  /** Makes an environment: one revision here and the first one there. */
  createEnvironment(view, { log, key }, mint) {
    const value = {
      ...named(mint, `default/${key}`),
      id: log,
      project: 'default',
      environment: key,
      custom_branch_name: null,
      jwks: null,
      settings: null,
    }
    const tenant = { ...named(mint, 'default'), attributes: null, last_action_at: mint.now }
    view.refuse('environment', value.key)
    return { changes: [put('environment', value)], also: [{ log, changes: [put('tenant', tenant)] }], result: log }
  },

  createApiKey(_view, { hash }, mint) {
    const secret = `permit_key_${mint.secret(48)}`
    const value = {
      id: mint.id(),
      key: hash,
      created_at: mint.now,
      updated_at: mint.now,
      level: 'org',
      access: 'admin',
      owner: 'member',
      name: null,
      organization_id: 'o',
      project_id: null,
      environment_id: null,
    }
    return { changes: [put('api_key', value)], secrets: [{ id: value.id, secret }], result: { id: value.id, secret } }
  },

  deleteApiKey(view, { hash }) {
    const { id, key } = view.require('api_key', hash)
    return { changes: [remove('api_key', key)], secrets: [{ id, secret: null }], result: null }
  },

  refuseAll(_view, { field }) {
    throw new ZerohopError('KEY_INVALID', { kind: 'user', key: '?', allowed: 'a-z' }, { path: ['body', field] })
  },

  readOther: (view, { log }) => ({ changes: [], result: view.other(log).count('tenant') }),

  break() {
    throw new TypeError('a defect of a use case')
  },

  /** Changes that no view could have led to: the store itself trips over them. */
  breakState: (_view, _input, mint) => ({ changes: [put('user', { ...user(mint, 'x'), id: 'no id' })], result: null }),

  /** A result that cannot leave the thread. */
  uncloneable: (_view, { key }, mint) => ({ changes: [put('user', user(mint, key))], result: () => key }),

  fill: (_view, { bytes }, mint) => {
    const key = `filler-${randomUUID()}`
    return { changes: [put('user', user(mint, key, { attributes: { text: 'x'.repeat(bytes) } }))], result: key }
  },

  /** Ends the thread right after its batch, as an unexpected error outside of every use case would. */
  die() {
    queueMicrotask(() => {
      throw new Error('the thread is hit')
    })
    return { changes: [], result: null }
  },
}

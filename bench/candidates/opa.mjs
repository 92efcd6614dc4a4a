// @open-policy-agent/opa-wasm with policies/rbac.wasm, which is policies/rbac.rego compiled once (docs/bench/README.md
// says how).
import { readFileSync } from 'node:fs'
import opa from '@open-policy-agent/opa-wasm'

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const policy = await opa.loadPolicy(readFileSync(new URL('../policies/rbac.wasm', import.meta.url)), {
    initial: 1024,
  })
  const roles = {}
  for (const role of world.roles) {
    roles[role.key] = {}
    for (const { resource, action } of role.permissions) {
      roles[role.key][resource] ??= {}
      roles[role.key][resource][action] = true
    }
  }
  const users = {}
  for (const user of world.users) {
    users[user.key] = {}
    for (const grant of user.grants) users[user.key][grant.tenant] = grant.roles.map((role) => role.key)
  }
  policy.setData({ roles, users })
  return {
    decide: (user, action, resource, tenant) => policy.evaluate({ user, action, resource, tenant })[0].result === true,
  }
}

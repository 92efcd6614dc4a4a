// Zerohop for one question about many users: `pdp.permission(action, type)` was resolved before, `allows` is what is
// measured.
import { openZerohop } from './zerohop.mjs'

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const pdp = await openZerohop(world)
  const permissions = new Map()
  const ensurePermission = ({ action, resource }) => {
    const name = `${resource}:${action}`
    if (!permissions.has(name)) permissions.set(name, pdp.permission(action, resource))
    return permissions.get(name)
  }

  function bind(checks) {
    const asked = checks.map(ensurePermission)
    return function run(_checks, from, to) {
      let allowed = 0
      for (let i = from; i < to; i++) {
        if (asked[i].allows(checks[i].user, { tenant: checks[i].tenant })) allowed++
      }
      return allowed
    }
  }
  return { bind }
}

// Zerohop through its public door: `check` with the names of user, action, resource type and tenant.
import { openZerohop } from './zerohop.mjs'

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const pdp = await openZerohop(world)
  return { decide: (user, action, type, tenant) => pdp.check(user, action, { type, tenant }) }
}

// Zerohop through its public door: `check` with the attributes of user and resource and with context.
import { openZerohop } from '../zerohop.mjs'

/** @param {import('../../rule-worlds.mjs').RuleWorld} world */
export async function load(world) {
  const pdp = await openZerohop(world)
  return {
    decide: (key, action, type, tenant, sent) =>
      pdp.check({ key, attributes: sent.user }, action, { type, tenant, attributes: sent.resource }, sent.context),
  }
}

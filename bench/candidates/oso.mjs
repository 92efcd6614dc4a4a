// oso: one fact per permission of a role (it indexes facts by their arguments), the roles of the user given with the
// actor.
import { Oso } from 'oso'
import { makeGrantLookup } from './grants.mjs'

class Holder {
  constructor(roles) {
    this.roles = roles
  }
}

const RULES = 'allow(actor: Holder, action, resource) if role in actor.roles and role_may(role, resource, action);\n'

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const oso = new Oso()
  oso.registerClass(Holder)
  const facts = world.roles.flatMap((role) =>
    role.permissions.map(({ resource, action }) => `role_may("${role.key}", "${resource}", "${action}");`),
  )
  await oso.loadStr(RULES + facts.join('\n'))
  const findActor = makeGrantLookup(world, (roles) => new Holder(roles))

  async function decide(user, action, resource, tenant) {
    const actor = findActor(user, tenant)
    return actor !== undefined && (await oso.isAllowed(actor, action, resource))
  }
  return { decide, async: true }
}

// oso: facts for the permissions of roles, one Polar rule for each attribute rule, user and resource given as instances
// of classes.
import { Oso } from 'oso'
import { makeGrantLookup } from '../grants.mjs'

class Holder {
  constructor(key, roles, { department, clearance }) {
    Object.assign(this, { key, roles, department, clearance })
  }
}
class Thing {
  constructor(type, { classification, owner }, { hour }) {
    Object.assign(this, { type, classification, owner, hour })
  }
}

/** @param {import('../../rule-worlds.mjs').RuleWorld} world */
export async function load(world) {
  const oso = new Oso()
  oso.registerClass(Holder)
  oso.registerClass(Thing)
  const facts = world.roles.flatMap((role) =>
    role.permissions.map(({ resource, action }) => `role_may("${role.key}", "${resource}", "${action}");`),
  )
  const rules = world.rules.map(
    ({ resource, action, department, from, to }) =>
      `rule("${resource}", "${action}", actor, thing) if actor.department = "${department}" and thing.hour >= ${from} and thing.hour <= ${to} and fits(actor, thing);`,
  )
  await oso.loadStr(
    [
      'allow(actor: Holder, action, thing: Thing) if role in actor.roles and role_may(role, thing.type, action);',
      'allow(actor: Holder, action, thing: Thing) if rule(thing.type, action, actor, thing);',
      'fits(actor, thing) if thing.classification <= actor.clearance;',
      'fits(actor, thing) if thing.owner = actor.key;',
      ...facts,
      ...rules,
    ].join('\n'),
  )
  const findRoles = makeGrantLookup(world, (roles) => roles)

  const decide = (user, action, resource, tenant, sent) =>
    oso.isAllowed(
      new Holder(user, findRoles(user, tenant) ?? [], sent.user),
      action,
      new Thing(resource, sent.resource, sent.context),
    )
  return { decide, async: true }
}

// The floor: one bit test per check, all names turned into numbers beforehand. No engine can ask names and be faster
// than this.

/** @param {import('../workloads.mjs').World} world */
export function load(world) {
  const permissionIds = new Map()
  for (const resource of world.resources) {
    for (const action of world.actions) permissionIds.set(`${resource}:${action}`, permissionIds.size)
  }
  const words = Math.ceil((permissionIds.size + 1) / 32)
  const rowOfRole = new Map(world.roles.map((role) => [role, makeRow(role, permissionIds, words)]))
  const grantIds = new Map()
  let grantCount = 1
  for (const user of world.users) grantCount += user.grants.length
  const bits = new Uint32Array(grantCount * words)
  for (const user of world.users) {
    for (const { tenant, roles } of user.grants) {
      const grant = grantIds.size + 1
      grantIds.set(`${user.key}/${tenant}`, grant)
      for (const role of roles) {
        const row = rowOfRole.get(role)
        for (let word = 0; word < words; word++) bits[grant * words + word] |= row[word]
      }
    }
  }

  function bind(checks) {
    const rows = Int32Array.from(checks, ({ user, tenant }) => (grantIds.get(`${user}/${tenant}`) ?? 0) * words)
    const unknown = permissionIds.size
    const ids = Int32Array.from(checks, ({ resource, action }) => permissionIds.get(`${resource}:${action}`) ?? unknown)
    return function run(_checks, from, to) {
      let allowed = 0
      for (let i = from; i < to; i++) {
        const id = ids[i]
        allowed += (bits[rows[i] + (id >>> 5)] >>> (id & 31)) & 1
      }
      return allowed
    }
  }
  return { bind }
}

function makeRow(role, permissionIds, words) {
  const row = new Uint32Array(words)
  for (const { resource, action } of role.permissions) {
    const id = permissionIds.get(`${resource}:${action}`)
    row[id >>> 5] |= 1 << (id & 31)
  }
  return row
}

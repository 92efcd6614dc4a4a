// Zerohop's fastest form: `pdp.subject(user, { tenant })` was resolved before (once per request, say), `can` is what is
// measured.
import { openZerohop } from './zerohop.mjs'

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const pdp = await openZerohop(world)
  const subjects = new Map()
  const ensureSubject = ({ user, tenant }) => {
    const name = `${user}/${tenant}`
    if (!subjects.has(name)) subjects.set(name, pdp.subject(user, { tenant }))
    return subjects.get(name)
  }

  function bind(checks) {
    const asked = checks.map(ensureSubject)
    return function run(_checks, from, to) {
      let allowed = 0
      for (let i = from; i < to; i++) {
        if (asked[i].can(checks[i].action, checks[i].resource)) allowed++
      }
      return allowed
    }
  }
  return { bind }
}

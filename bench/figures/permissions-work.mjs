// The process behind the rows about the permissions of a user: one environment, in which three users are listed.
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import { permissionChanges } from '../permission-world.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

serveJob(async ({ facts, rules, held, users, rounds }, loaded) => {
  const bytes = Image.build(ENVIRONMENT, FIRST, permissionChanges(facts, { rules, held })).save()
  const pdp = loadImage(bytes, { verify: false })
  loaded()
  const measured = {}
  for (const user of users) measured[user] = await measure(pdp, user, rounds)
  return measured
})

/** The best of some rounds: the listing at once, and the longest turn where a server answers it. */
async function measure(pdp, user, rounds) {
  const entries = Object.keys(pdp.userPermissions(user)).length
  let ms = Number.POSITIVE_INFINITY
  let turnMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    pdp.userPermissions(user)
    ms = Math.min(ms, performance.now() - start)
    turnMs = Math.min(turnMs, await longestTurn(pdp, user, entries))
  }
  return { entries, ms, turnMs }
}

async function longestTurn(pdp, user, entries) {
  let longest = 0
  let last = performance.now()
  let next
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  let listed = 0
  await pdp.userPermissionsInTurns(user, {}, null, (part) => {
    listed += Object.keys(part).length
    return JSON.stringify(part)
  })
  longest = Math.max(longest, performance.now() - last)
  clearImmediate(next)
  if (listed !== entries) throw new Error(`${listed} entries of ${user} in turns, and ${entries} at once`)
  return longest
}

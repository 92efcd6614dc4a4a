// The process behind the rows about roles of everyone: images that differ in nothing but what everyone has, asked in turn.
import { loadImage } from '../../dist/src/index.js'
import { FILTER_KEYS_MAX } from '../../dist/src/model/limits.js'
import { serveJob } from '../child.mjs'
import { ASKED, everybodyChanges, everybodyQuestions, listGiven } from '../everybody-world.mjs'
import { askAll, measure } from '../interleaved.mjs'
import { median } from '../sampling.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

serveJob(async ({ users, documents, questions: count, rounds }, loaded) => {
  const build = (given, among = documents) =>
    Image.build(ENVIRONMENT, FIRST, everybodyChanges({ users, documents: among, given })).save()
  const saved = listGiven().map((given) => build(given))
  loaded()
  const pdps = saved.map((bytes) => loadImage(bytes))
  const asked = [true, false].flatMap((areAboutDocuments) =>
    listGiven().map((given, at) => {
      const name = nameCheck(given, areAboutDocuments)
      return [name, askAll(name, pdps[at], everybodyQuestions({ users, documents, given }, count, areAboutDocuments))]
    }),
  )
  const samples = measure(asked, rounds)
  const [nothing, ...others] = listGiven()
  const checks = [true, false].flatMap((areAboutDocuments) =>
    others.map((given) => {
      const took = samples[nameCheck(given, areAboutDocuments)]
      const before = samples[nameCheck(nothing, areAboutDocuments)]
      const ratio = median(took.map((each, round) => each / before[round]))
      return { name: nameCheck(given, areAboutDocuments), ns: (median(took) * 1e6) / count, ratio }
    }),
  )
  const shared = pdps.at(-1)
  const most = documents - 1
  return {
    checks,
    bytes: (saved.at(-1).length - saved[0].length) / documents,
    lists: {
      "permissions of a user, in everyone's tenant": best(rounds, () => {
        const found = Object.keys(shared.userPermissions(ASKED.user, { tenants: [ASKED.tenant] })).length
        if (found < most) throw new Error(`${found} permissions are listed`)
      }),
      'permissions of a user without a tenant of their own': best(rounds, () => {
        const found = Object.keys(shared.userPermissions(ASKED.user)).length
        if (found > 1) throw new Error(`${found} permissions are listed`)
      }),
      'users who may read a document': best(rounds, () => {
        const resource = { type: 'document', key: 'd000000', tenant: ASKED.tenant }
        const found = Object.keys(shared.authorizedUsers({ action: 'read', resource }).users)
        if (found.length !== users / 2 + 1 || !found.includes('*')) throw new Error(`${found.length} users are listed`)
      }),
      'a filter': best(rounds, () => {
        const { kind } = shared.filter(ASKED.user, 'read', 'document', { tenant: ASKED.tenant })
        if (kind !== 'when') throw new Error(`the filter is ${kind}`)
      }),
    },
    hasRefused: isRefused(loadImage(build(listGiven().at(-1), FILTER_KEYS_MAX + 1))),
  }
})

const nameCheck = (given, areAboutDocuments) =>
  `a check ${areAboutDocuments ? 'of a document' : 'in a tenant'}, where everyone has ${given}`

/** Whether a filter over more keys than a list may have is refused by name. */
function isRefused(pdp) {
  try {
    pdp.filter(ASKED.user, 'read', 'document', { tenant: ASKED.tenant })
    return false
  } catch (error) {
    return error.code === 'LISTING_TOO_LARGE' && error.message.includes(String(FILTER_KEYS_MAX + 1))
  }
}

function best(rounds, work) {
  let ms = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    work()
    ms = Math.min(ms, performance.now() - start)
  }
  return ms
}

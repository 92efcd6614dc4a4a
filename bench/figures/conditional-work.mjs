// The process behind the rows about a role under a condition: images that differ in nothing but what the role gives, asked
// in turn.
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import { conditionalChanges, conditionalQuestions, listGiven } from '../conditional-world.mjs'
import { askAll, measure } from '../interleaved.mjs'
import { median } from '../sampling.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

serveJob(async ({ users, questions: count, rounds }, loaded) => {
  const build = (given) => Image.build(ENVIRONMENT, FIRST, conditionalChanges({ users, given })).save()
  const saved = Object.fromEntries(listGiven().map((given) => [given, build(given)]))
  loaded()
  const asked = ['assigned', 'derived'].flatMap((by) =>
    listGiven().map((given) => {
      const name = `${by}, ${given}`
      return [name, askAll(name, loadImage(saved[given]), conditionalQuestions({ users, given }, count, by))]
    }),
  )
  const samples = measure(asked, rounds)
  const figure = (by) => {
    const took = samples[`${by}, role`]
    const ratio = (peer) => median(took.map((each, round) => each / samples[`${by}, ${peer}`][round]))
    return { ns: (median(took) * 1e6) / count, plain: ratio('plain'), tenantRole: ratio('tenantRole') }
  }
  return { assigned: figure('assigned'), derived: figure('derived') }
})

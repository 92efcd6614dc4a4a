// The process behind the rows about an older version: both are loaded, each builds its own images, and they are asked the same
// questions in turn. The images are left in a folder, for those who count instructions.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serveJob } from '../child.mjs'
import { askAll, measure } from '../interleaved.mjs'
import { median } from '../sampling.mjs'
import { kindQuestions, listKinds, worldChanges } from '../versions-world.mjs'
import { ENVIRONMENT, FIRST } from '../zerohop-image.mjs'

const OWN = new URL('../../', import.meta.url)

serveJob(async ({ older, folder, isOlderFirst, users, questions: count, rounds }, loaded) => {
  const places = [pathToFileURL(`${older}/`), OWN]
  const versions = []
  for (const place of isOlderFirst ? places : places.toReversed())
    versions.push({ name: place === OWN ? 'own' : 'older', ...(await load(place)) })
  loaded()
  const result = []
  for (const [at, kind] of listKinds().entries()) {
    const questions = kindQuestions(kind, users, count)
    const works = versions.map(({ name, Image, loadImage }) => {
      const image = Image.build(ENVIRONMENT, FIRST, worldChanges(kind.world, users)).save()
      writeFileSync(join(folder, `${name}-${at}`), image)
      return [name, askAll(`${name}: ${kind.world}`, loadImage(image), questions)]
    })
    const { own, older: before } = measure(works, rounds)
    const ratio = median(own.map((took, round) => took / before[round]))
    const best = Math.min(...own) / Math.min(...before)
    result.push({ ...kind, ns: (Math.min(...own) * 1e6) / count, best, median: ratio })
  }
  return result
})

async function load(place) {
  const { Image } = await import(new URL('dist/src/image/image.js', place))
  const { loadImage } = await import(new URL('dist/src/index.js', place))
  return { Image, loadImage }
}

// Asks one kind of check so many times of one version; what is counted is the whole process, so the difference between two
// numbers of passes is that of their checks: node versions-count.mjs VERSION IMAGE KIND PASSES USERS QUESTIONS.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { askAll } from '../interleaved.mjs'
import { kindQuestions, listKinds } from '../versions-world.mjs'

/** Passes after which all of it is compiled: a function that is compiled among those that are counted costs as much as all of them. */
const WARM = 300

const [version, file, ...numbers] = process.argv.slice(2)
const [at, passes, users, count] = numbers.map(Number)
const { loadImage } = await import(new URL('dist/src/index.js', pathToFileURL(`${version}/`)))
const kind = listKinds()[at]
const ask = askAll(kind.world, loadImage(readFileSync(file)), kindQuestions(kind, users, count))
for (let pass = 0; pass < WARM + passes; pass++) ask()

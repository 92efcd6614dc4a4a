// What `zerohop validate` prints for broken files: every error and warning points to what is wrong and nothing else,
// and test/golden/policy-problems.txt holds the sentences as people read them.
import { describe, expect, it } from 'vitest'
import { printProblems } from '../../../src/cli/terminal/print-problems.ts'
import { readPolicy } from '../../../src/management/policy-file/read-policy.ts'
import { BROKEN, type Broken } from './broken-files.ts'

const NAMES = ['policy.yaml', 'more.yaml']

/** The texts without marks, and the places of the marks. */
function unmarked({ texts }: Broken) {
  const places: string[] = []
  const sources = texts.map((text, file) => {
    let [line, column, clean] = [1, 1, '']
    for (const character of text) {
      if (character === '«') places.push(`${NAMES[file]}:${line}:${column}`)
      else if (character !== '»') {
        clean += character
        if (character === '\n') [line, column] = [line + 1, 1]
        else if (character !== '\ufeff') column += character.length
      }
    }
    return { name: NAMES[file] ?? '', text: clean }
  })
  return { sources, places }
}

describe('a broken policy file', () => {
  it.each(BROKEN)('$title: every problem is where it is marked', (broken) => {
    const { sources, places } = unmarked(broken)
    const found = readPolicy(sources).problems.map(({ place }) => `${place.file}:${place.line}:${place.column}`)
    expect(found).toEqual(places)
  })

  it('is explained in a sentence', async () => {
    const printed = BROKEN.map((broken) => {
      const { sources } = unmarked(broken)
      const { problems } = readPolicy(sources)
      return `# ${broken.title}\n${printProblems(problems, sources, { lines: true, colour: false })}`
    })
    await expect(printed.join('\n')).toMatchFileSnapshot('../../golden/policy-problems.txt')
  })
})

// What people read has none of the phrases that readers stumbled over (test/wording/phrases.ts): the texts of the
// console, of commands and of errors. Documents have no more of them than before: ZEROHOP_WRITE_DOCS=1 lowers the counts
// of test/wording/documents.json, and never raises them. Counts have one function, which must know one from many.
import { describe, expect, it } from 'vitest'
import { counted, plural } from '../src/model/counted.ts'
import { findTooMany, format, lowerLimits, readLimits } from './wording/counts.ts'
import { findInDocument, findInDocuments, LIMITS } from './wording/documents.ts'
import { EVERYWHERE, IN_CONSOLE, type Phrase } from './wording/phrases.ts'
import { listTexts, type Text, textsOfFolder } from './wording/texts.ts'

const found = (texts: readonly Text[], phrases: readonly Phrase[]): string[] =>
  texts.flatMap(({ path, line, text }) =>
    phrases
      .filter(({ phrase }) => phrase.test(text))
      .map(({ instead }) => `${path}:${line}  ${JSON.stringify(text)}: write ${instead}`),
  )

describe('wording', () => {
  it('reads texts of strings, templates and JSX, and neither comments nor names', () => {
    const file = [
      '// goes along in a comment',
      "import { x } from './that there is.ts'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      "const a = { title: 'Take away', label: `${b} users` }",
      'export const C = () => <p title="Give up my edits">It goes{" "}\n    along {a}</p>',
    ].join('\n')
    expect(listTexts('console/src/a.tsx', file)).toEqual([
      { path: 'console/src/a.tsx', line: 3, text: 'Take away' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      { path: 'console/src/a.tsx', line: 3, text: '${b} users' },
      { path: 'console/src/a.tsx', line: 4, text: 'It goes along {a}' },
      { path: 'console/src/a.tsx', line: 4, text: 'Give up my edits' },
    ])
    expect(found(listTexts('console/src/a.tsx', file), EVERYWHERE)).toHaveLength(4)
  })

  it('of the console has none of the phrases', () => {
    const texts = textsOfFolder('console/src')
    expect(texts.length).toBeGreaterThan(500)
    expect(found(texts, [...EVERYWHERE, ...IN_CONSOLE])).toEqual([])
  })

  it('of commands and messages has none of the phrases', () => {
    const texts = textsOfFolder('src')
    expect(texts.length).toBeGreaterThan(1_000)
    expect(found(texts, EVERYWHERE)).toEqual([])
  })

  it('of documents has no more of the phrases than before, and new documents have none', () => {
    const found = findInDocuments()
    expect(findTooMany(found, readLimits(LIMITS)).map(format)).toEqual([])
    if (process.env.ZEROHOP_WRITE_DOCS) lowerLimits(LIMITS, found)
  })

  it('reads prose of documents, and neither code nor links', () => {
    const text = ['Somebody says so.', '`nobody` [here](somebody.md)', '```', 'nobody', '```', 'Nobody, nobody.'].join(
      '\n',
    )
    const found = findInDocument('docs/new.md', text)
    expect(found.map(({ line, text: phrase }) => `${line} ${phrase}`)).toEqual(['1 Somebody', '6 Nobody', '6 nobody'])
    expect(findTooMany(found, {})).toHaveLength(3)
    expect(findTooMany(found, { 'docs/new.md': 2 })).toHaveLength(3)
    expect(findTooMany(found, { 'docs/new.md': 3 })).toEqual([])
  })

  it('knows one from many', () => {
    expect([0, 1, 2, 1_200].map((count) => counted(count, 'revision'))).toEqual([
      '0 revisions',
      '1 revision',
      '2 revisions',
      '1,200 revisions',
    ])
    expect([counted(1, 'entry', 'entries'), counted(2, 'entry', 'entries')]).toEqual(['1 entry', '2 entries'])
    expect([plural(1, 'is', 'are'), plural(2, 'is', 'are')]).toEqual(['is', 'are'])
  })
})

// The survivors that docs/mutants.md explains, a row each: the file, the line as it stands or a whole function as
// `name()`, the changes or `any`, what they are, and why. `same`: no image and no question can tell. `unseen`: the
// cases and the random checks cannot.

export interface Explained {
  readonly file: string
  readonly at: string
  /** kinds of mutations; none means any */
  readonly kinds: readonly string[]
  readonly is: 'same' | 'unseen'
}

interface Place {
  readonly file: string
  readonly at: string
  readonly within: string
  readonly kind: string
}

/** Code in a cell of a table. */
const codeIn = (cell: string): string[] =>
  [...cell.matchAll(/`` (.*?) ``|`([^`]*)`/g)].map(([, long, short]) => long ?? short ?? '')

/** Rows `| file | place | changes | is | why |`. */
export function explainedIn(page: string): Explained[] {
  return page.split('\n').flatMap((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
    const [, file = '', place = '', changes = '', is = '', why = ''] = cells
    const [at] = codeIn(place)
    if (!/^[\w/-]+\.ts$/.test(file) || at === undefined || (is !== 'same' && is !== 'unseen') || why === '') return []
    return [{ file, at, kinds: codeIn(changes), is }]
  })
}

/** How the page explains a survivor; undefined when it does not. */
export function findExplanation(explained: readonly Explained[], one: Place): Explained['is'] | undefined {
  return explained.find(
    ({ file, at, kinds }) =>
      file === one.file &&
      (at === one.at || at === `${one.within}()`) &&
      (kinds.length === 0 || kinds.includes(one.kind)),
  )?.is
}

// What a revision did, as a row of the list says it: the operation, and which objects.
import { keyText, kindText, objectOfPath, objectText, operationText } from 'zerohop/change-words'
import type { components } from 'zerohop/client'

type Event = components['schemas']['Event']

export interface RevisionText {
  readonly title: string
  /** the objects; empty when the title says it all */
  readonly objects: string
}

/** The words of an entry of the history. */
export function revisionText({ operation, summary, path, changed }: Event): RevisionText {
  const title = sentence(summary ?? operationText(operation))
  if (changed === undefined || changed === null || changed.count === 0)
    return { title, objects: summary === null ? objectOfPath(path) : '' }
  const named = title.toLowerCase()
  const names = changed.objects.map(({ kind, key }) =>
    // “Update user: ana”, not “Update user: user ana”
    named.includes(kindText(kind)) ? keyText(kind, key) : objectText({ kind, key }),
  )
  const more = changed.count - names.length
  return { title, objects: names.join(', ') + (more > 0 ? `, and ${more.toLocaleString('en-US')} more` : '') }
}

/** What was done, as a title: `createRole` → `Create role`. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

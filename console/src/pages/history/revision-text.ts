// What a revision did, as a row of the list says it: a sentence, and objects that it does not name.
import { objectOfPath } from 'zerohop/change-words'
import type { components } from 'zerohop/client'
import { type HistorySentence, historySentence } from 'zerohop/history-words'

type Event = components['schemas']['Event']

/** The words of an entry of the history. What it wrote may not be kept any more: then its address names the object. */
export function revisionText(event: Event): HistorySentence {
  const sentence = historySentence({ ...event, changed: event.changed ?? null })
  const isUnknown = !event.changed || event.changed.count === 0
  return isUnknown && event.summary === null ? { ...sentence, objects: objectOfPath(event.path) } : sentence
}

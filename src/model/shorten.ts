// Values as explanations and messages show them: whole when they are short, else their beginning.
import { SHOWN_DEPTH_MAX, SHOWN_ITEMS_MAX, SHOWN_TEXT_MAX } from './limits.ts'
import type { Json } from './objects.ts'

/** The value, or so much of it that it fits into a few lines; `…` stands for what is left out. */
export function shorten(value: Json, depth = 1): Json {
  if (typeof value === 'string') return shortText(value)
  if (typeof value === 'number') return value + 0 // -0 is 0
  if (typeof value !== 'object' || value === null) return value
  if (depth > SHOWN_DEPTH_MAX) return '…'
  if (Array.isArray(value)) {
    const items = value.slice(0, SHOWN_ITEMS_MAX).map((item: Json) => shorten(item, depth + 1))
    return value.length > SHOWN_ITEMS_MAX ? [...items, '…'] : items
  }
  const members = Object.entries(value as { readonly [member: string]: Json })
  members.sort(([left], [right]) => (left < right ? -1 : 1)) // an image holds them in any order
  const shown = members.slice(0, SHOWN_ITEMS_MAX).map(([name, each]) => [shortText(name), shorten(each, depth + 1)])
  return Object.fromEntries(members.length > SHOWN_ITEMS_MAX ? [...shown, ['…', '…']] : shown)
}

/** The text, or its beginning and `…` when it is long. */
export function shortText(text: string): string {
  if (text.length <= SHOWN_TEXT_MAX) return text
  const end = SHOWN_TEXT_MAX - 1
  // Not through the middle of a surrogate pair.
  const cut = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end
  return `${text.slice(0, cut)}…`
}

// The text of a field that holds a JSON object.

export type JsonObject = Readonly<Record<string, unknown>>

/** An empty text is no object, and no problem. */
export interface ParsedObject {
  readonly object?: JsonObject
  readonly problem?: string
}

export function parseObject(text: string): ParsedObject {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `This is not JSON: ${reasonOf(error, text)}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'This must be an object in braces, such as {"department": "finance"}' }
  return { object: value as JsonObject }
}

/** Browsers word it differently; the place is what helps, so it is said as line and column. */
function reasonOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error)
  const at = /at position (\d+)/.exec(message)?.[1]
  if (at === undefined) return message
  const before = text.slice(0, Number(at)).split('\n')
  return `unexpected text at line ${before.length}, column ${before.at(-1)!.length + 1}`
}

// The text of a field that holds a JSON object.

export type JsonObject = Readonly<Record<string, unknown>>

/** An empty text gives neither an object nor a problem. */
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
    return { problem: `This is not JSON: ${formatReason(error)}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'Enter a JSON object, for example {"department": "finance"}' }
  return { object: value as JsonObject }
}

/** What the browser says, without the text itself, which stands in the field. */
function formatReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^JSON\.parse: /, '').replace(/, (\.{3})?".*" is not valid JSON$/s, '')
}

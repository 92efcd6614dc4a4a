// The JSON of conditions as a text that is edited: read, or said what is wrong with it and where.
import type { Conditions, Json } from './condition-model.ts'

export type ParsedText = { readonly conditions: Conditions } | { readonly problem: string }

/** An empty text stands for no conditions. */
export function parseText(text: string): ParsedText {
  if (text.trim() === '') return { conditions: {} }
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch (error) {
    const [line, column] = findPlace(error, text)
    return { problem: `This is not JSON. Line ${line}, column ${column}: ${formatReason(error)}.` }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { problem: 'Line 1, column 1: conditions must be a JSON object.' }
  return { conditions: json as Conditions }
}

export const printText = (json: Json): string => JSON.stringify(json, null, 2)

/** Browsers say the place in words of their own; what does not say one is about the end of the text. */
function findPlace(error: unknown, text: string): readonly [line: number, column: number] {
  const message = String(error)
  const lineAndColumn = /line (\d+) column (\d+)/.exec(message)
  if (lineAndColumn) return [Number(lineAndColumn[1]), Number(lineAndColumn[2])]
  const position = /position (\d+)/.exec(message)
  const before = text.slice(0, position ? Number(position[1]) : quoted(message, text)).split('\n')
  return [before.length, (before.at(-1)?.length ?? 0) + 1]
}

/**
 * Where the token is that a message names without its place, as in `Unexpected token 'x', ..."a: x}" is not valid
 * JSON`.
 */
function quoted(message: string, text: string): number {
  const [, token = '', near = ''] = /token '(.)', (?:\.\.\.)?"(.*?)"(?:\.\.\.)? is not valid/s.exec(message) ?? []
  const start = near === '' ? -1 : text.indexOf(near)
  return start < 0 ? text.length : Math.max(0, text.indexOf(token, start))
}

function formatReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message
    .replace(/^JSON\.parse: /, '')
    .replace(/,? (\.{3})?".*"(\.{3})? is not valid JSON$/s, '')
    .replace(/ (in JSON )?at (position|line) .*$/s, '')
}

// Cells as the values of fields, and back: what a field holds is read out of the written file again for the proof.
import { parseInstant } from '../../model/instant.ts'
import type { Json } from '../../model/objects.ts'
import { decodeKey, encodeKey } from '../frame/keys.ts'
import type { CellForm } from './mapping.ts'

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** With a zone: without one it would be another instant elsewhere. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(?:Z|[+-]\d{2}:\d{2})$/

/** @throws Error with what is wrong; INPUT_INVALID, KEY_TOO_LONG */
export function readCell(text: string, form: CellForm): Json {
  switch (form) {
    case 'text':
      return text
    case 'user':
      return encodeKey(text, 'user')
    case 'key':
      return encodeKey(text)
    case 'object': {
      const at = text.indexOf(':')
      if (at < 1) throw new Error(`\`${text}\` is not an object such as document:1`)
      return `${encodeKey(text.slice(0, at))}:${encodeKey(text.slice(at + 1))}`
    }
    case 'time':
      if (!TIME.test(text) || parseInstant(text) === undefined)
        throw new Error(`\`${text}\` is not an instant with a zone, such as 2026-01-31T12:00:00Z`)
      return text
    case 'number':
      if (!NUMBER.test(text) || Math.abs(Number(text)) > 2 ** 53)
        throw new Error(`\`${text}\` is not a number that attributes hold`)
      return Number(text)
    case 'bool':
      if (text !== 'true' && text !== 'false') throw new Error(`\`${text}\` is neither true nor false`)
      return text === 'true'
    default:
      try {
        return JSON.parse(text) as Json
      } catch {
        throw new Error(`\`${text}\` is not JSON`)
      }
  }
}

/** Whether the value is what the cell says: its text is made of the value, and not the value of the text. */
export function matchesCell(value: unknown, text: string, form: CellForm): boolean {
  switch (form) {
    case 'text':
      return value === text
    case 'user':
      return decodeKey(String(value), 'user') === text
    case 'key':
      return decodeKey(String(value)) === text
    case 'object': {
      const [type = '', key = ''] = String(value).split(':')
      return `${decodeKey(type)}:${decodeKey(key)}` === text
    }
    case 'time':
      // it is written as the instant that it is
      return typeof value === 'string' && Date.parse(value) === Date.parse(text)
    case 'number':
      return typeof value === 'number' && value === Number.parseFloat(text)
    case 'bool':
      return typeof value === 'boolean' && String(value) === text
    default:
      return JSON.stringify(value) === JSON.stringify(JSON.parse(text))
  }
}

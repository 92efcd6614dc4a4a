// The sources of the debug kernel: every access to memory goes through assembly/memory/checked.ts, which asserts that
// it lies in the image, and for a named field that the record is of its kind. Lines stay where they are.
import { readFileSync } from 'node:fs'

const CHECKED = ['assembly/memory/checked.ts', 'assembly/memory/checked-records.ts']
/** Enums of fields whose records are checked; `Name.Field` of any other is only checked for its place. */
const KINDS = new Set(
  readFileSync(new URL(`../${CHECKED[1]}`, import.meta.url), 'utf8')
    .match(/export enum Checked \{(.*?)^\}/ms)[1]
    .match(/^ {2}(\w+) =/gm)
    .map((line) => line.trim().split(' ')[0])
    .filter((name) => name !== 'Any'),
)
/** Fields that are read from addresses inside of a record. */
const MOVING = new Set(['RoleSet.Roles'])
const ACCESS = /\b(?:(load|store)(<\w+>)|(memory\.copy|memory\.fill|v128\.load))\(/g
const NAMES = {
  'memory.copy': 'copyChecked',
  'memory.fill': 'fillChecked',
  'v128.load': 'loadVectorChecked',
}

/** The source of a file with every access checked. */
export function checkedSource(file, text) {
  if (CHECKED.includes(file) || file === 'assembly/abi.ts' || file === 'assembly/limits.ts') return text
  const checked = rewrite(text)
  if (checked === text) return text
  const folder = file.split('/').length === 2 ? './memory' : file.includes('/memory/') ? '.' : '../memory'
  const names = ['Checked', 'copyChecked', 'fillChecked', 'loadChecked', 'loadVectorChecked', 'storeChecked']
  return `${checked}import { ${names.join(', ')} } from '${folder}/checked'\n`
}

function rewrite(text) {
  let written = ''
  let at = 0
  for (const found of text.matchAll(ACCESS)) {
    if (found.index < at) continue
    const start = found.index + found[0].length
    const parts = argumentsAt(text, start)
    const end = parts.at(-1).end
    const values = parts.map((part) => text.slice(part.start, part.end).trim())
    const [, name, type, call] = found
    written += text.slice(at, found.index)
    written += call === undefined ? access(name, type, values) : plain(call, values)
    at = end + 1
  }
  return written + text.slice(at)
}

function plain(call, values) {
  if (call === 'v128.load' && values.length === 1) values.push('0')
  return `${NAMES[call]}(${values.map(rewrite).join(', ')})`
}

function access(name, type, values) {
  const length = name === 'load' ? 2 : 3
  const field = values.length === length ? values.at(-1) : '0'
  const [, record] = field.match(/^(\w+)\.\w+$/) ?? []
  const isRecord = /^\w+(\(.*\)|<.*)?$/s.test(values[0]) || values[0].endsWith('& ~3')
  const kind = isRecord && KINDS.has(record) && !MOVING.has(field) ? `Checked.${record}` : '0'
  const before = values.slice(0, length - 1).map(rewrite)
  return `${name}Checked${type}(${[...before, field, kind].join(', ')})`
}

/** The arguments of a call, from the first character behind its bracket. */
function argumentsAt(text, start) {
  const parts = []
  let depth = 0
  let from = start
  for (let at = start; ; at++) {
    const sign = text[at]
    if (sign === '(' || sign === '[') depth++
    if ((sign === ',' && depth === 0) || (sign === ')' && depth === 0)) {
      parts.push({ start: from, end: at })
      from = at + 1
    }
    if (sign === ')' || sign === ']') depth--
    if (depth < 0) return parts
  }
}

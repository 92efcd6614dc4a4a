// The sources of the debug kernel: every access to memory goes through assembly/memory/checked.ts, which asserts that
// it lies in the image, and for a named field that the record is of its kind. Lines stay where they are.
import { readFileSync } from 'node:fs'

const CHECKED = ['assembly/memory/checked.ts', 'assembly/memory/checked-records.ts']
const RECORDS = 'assembly/memory/records.ts'
/** Behind the name of a class where the enum of its offsets has the same name. */
const CLASS = 'Class'
/** Enums of fields whose records are checked; `Name.Field` of any other is only checked for its place. */
const KINDS = new Set(
  readFileSync(new URL(`../${CHECKED[1]}`, import.meta.url), 'utf8')
    .match(/export enum Checked \{(.*?)^\}/ms)[1]
    .match(/^ {2}(\w+) =/gm)
    .map((line) => line.trim().split(' ')[0])
    .filter((name) => name !== 'Any'),
)
/** The fields of each class of records.ts, with their types, by the function that gives one: `grantAt`. */
const CLASSES = new Map(
  [
    ...readFileSync(new URL(`../${RECORDS}`, import.meta.url), 'utf8').matchAll(/^export class (\w+) \{(.*?)^\}/gms),
  ].map(([, name, body]) => [
    `${name[0].toLowerCase()}${name.slice(1)}At`,
    { name, types: new Map([...body.matchAll(/^ {2}(\w+): (\w+)$/gm)].map(([, field, type]) => [field, type])) },
  ]),
)
/** Fields that are read from addresses inside of a record. */
const MOVING = new Set(['RoleSet.Roles'])
const ACCESS = new RegExp(
  `\\b(?:(load|store)(<\\w+>)|(memory\\.copy|memory\\.fill|v128\\.load)|(${[...CLASSES.keys()].join('|')}))\\(`,
  'g',
)
const NAMES = {
  'memory.copy': 'copyChecked',
  'memory.fill': 'fillChecked',
  'v128.load': 'loadVectorChecked',
}

/** The source of a file with every access checked. */
export function checkedSource(file, text) {
  if (CHECKED.includes(file) || file === RECORDS || file === 'assembly/abi.ts' || file === 'assembly/limits.ts')
    return text
  const checked = rewrite(text)
  if (checked === text) return text
  const folder = file.split('/').length === 2 ? './memory' : file.includes('/memory/') ? '.' : '../memory'
  const names = ['Checked', 'copyChecked', 'fillChecked', 'loadChecked', 'loadVectorChecked', 'storeChecked']
  const classes = [...CLASSES].filter(([at]) => new RegExp(`\\b${at}\\(`).test(text)).map(([, { name }]) => name)
  const records = classes.map((name) => `${name} as ${name}${CLASS}`)
  const imports = records.length === 0 ? '' : `import { ${records.join(', ')} } from '${folder}/records'\n`
  return `${checked}import { ${names.join(', ')} } from '${folder}/checked'\n${imports}`
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
    const [, name, type, call, record] = found
    written += text.slice(at, found.index)
    at = end + 1
    if (record !== undefined) {
      const [field, length] = fieldAt(text, at, record, values[0])
      written += field
      at += length
    } else written += call === undefined ? access(name, type, values) : plain(call, values)
  }
  return written + text.slice(at)
}

/** The access to a field behind `grantAt(address)`, and how long its text is. */
function fieldAt(text, at, record, address) {
  const { name, types } = CLASSES.get(record)
  const [read, field] = /^\.(\w+)/.exec(text.slice(at)) ?? ['']
  const type = types.get(field)
  if (type === undefined) throw new Error(`${record}(…) is not followed by a field: it could not be checked`)
  const offset = `offsetof<${name}${CLASS}>('${field}')`
  const kind = KINDS.has(name) ? `Checked.${name}` : '0'
  const [sign] = /^ (?:[-+*/|&^]|<<|>>>?)?=(?!=) /.exec(text.slice(at + read.length)) ?? []
  if (sign === undefined) return [`loadChecked<${type}>(${rewrite(address)}, ${offset}, ${kind})`, read.length]
  if (sign !== ' = ') throw new Error(`${record}(…).${field}${sign}: write it as a plain assignment`)
  const start = at + read.length + sign.length
  const value = text.slice(start, endOfValue(text, start))
  return [
    `storeChecked<${type}>(${rewrite(address)}, ${rewrite(value)}, ${offset}, ${kind})`,
    read.length + sign.length + value.length,
  ]
}

/** The end of the line on which all brackets of a value are closed. */
function endOfValue(text, start) {
  let depth = 0
  for (let at = start; ; at++) {
    if ('([{'.includes(text[at])) depth++
    else if (')]}'.includes(text[at])) depth--
    else if (text[at] === '\n' && depth === 0) return at
  }
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

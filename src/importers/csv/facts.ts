// Rows of CSV as facts, and the proof of what was written: each written fact is turned back into the texts of its row.

import type { FactLists } from '../../management/policy-file/export.ts'
import type { Place, Problem, Source } from '../../management/policy-file/problem.ts'
import { counted } from '../../model/counted.ts'
import { IMPORT_DIFFERENCES_MAX } from '../../model/limits.ts'
import type { Difference, Fact, Finding, Proof } from '../frame/importer.ts'
import { decodeKey } from '../frame/keys.ts'
import { type Row, splitRows } from '../frame/rows.ts'
import { matchesCell, readCell } from './cells.ts'
import { type CellForm, type Column, SECTIONS, type Section, type SectionName } from './mapping.ts'

/** A row of a file with the texts of what is mapped; those that are empty are left out. */
interface ReadRow {
  readonly texts: ReadonlyMap<string, string>
  readonly place: Place
}

export interface ReadSection {
  readonly name: SectionName
  readonly section: Section
  readonly rows: readonly ReadRow[]
}

export interface Facts {
  readonly facts: readonly (Fact & { readonly place: Place })[]
  readonly findings: readonly Finding[]
}

const at = (file: string, line: number): Place => ({ file, line, column: 1, length: 1 })

export function readSection(
  section: Section,
  source: Source,
  problems: Problem[],
  findings: Finding[],
): ReadSection | undefined {
  const refuse = (message: string, place: Place): void => {
    problems.push({ severity: 'error', message, place })
  }
  const name = (Object.keys(SECTIONS) as SectionName[]).find((each) => SECTIONS[each].kind === section.kind) ?? 'users'
  const rows = splitRows(source.text, (message, line) => refuse(message, at(source.name, line)), section.form)
  if (rows === undefined) return undefined
  const [head, ...body] = rows
  if (head === undefined) {
    refuse('the file is empty: its first line has the names of the columns', at(source.name, 1))
    return undefined
  }
  const names = head.values.map((each) => each.trim())
  const double = names.find((each, index) => names.indexOf(each) < index)
  if (double !== undefined) refuse(`the column \`${double}\` appears twice`, at(source.name, head.line))
  const before = problems.length
  for (const { column, place } of section.columns.values())
    if (column !== undefined && !names.includes(column))
      refuse(`\`${source.name}\` has no column \`${column}\`: its columns are ${names.join(', ')}`, place)
  if (problems.length > before || double !== undefined) return undefined
  const mapped = new Set([...section.columns.values()].map(({ column }) => column))
  const unread = names.filter((each) => !mapped.has(each))
  if (unread.length > 0)
    findings.push({
      ...{ kind: 'note', file: source.name, line: head.line, what: unread.join(', ') },
      reason: `these columns are not read for \`${name}\``,
      nearest: 'map them as attributes where conditions read them',
    })
  const read = body.flatMap((row) => readRow(row, names, section, source.name, refuse) ?? [])
  return { name, section, rows: read }
}

function readRow(
  { values, line }: Row,
  names: readonly string[],
  { columns }: Section,
  file: string,
  refuse: (message: string, place: Place) => void,
): ReadRow | undefined {
  const place = at(file, line)
  if (values.length !== names.length) {
    refuse(`the first line has ${names.length} columns, this one has ${values.length}`, place)
    return undefined
  }
  const texts = new Map<string, string>()
  for (const [field, { column, value, values: words, isRequired }] of columns) {
    const text = column === undefined ? (value ?? '') : (values[names.indexOf(column)] ?? '')
    if (text === '') {
      if (isRequired) refuse(`\`${column ?? field}\` is empty`, place)
      continue
    }
    const word = words === undefined ? text : words.get(text)
    if (word === undefined) refuse(`\`values\` does not say what \`${text}\` of \`${column ?? field}\` is`, place)
    else texts.set(field, word)
  }
  return { texts, place }
}

/** The facts of all rows; the same row again is one fact. */
export function toFacts(sections: readonly ReadSection[], problems: Problem[]): Facts {
  const facts: (Fact & { readonly place: Place })[] = []
  const findings: Finding[] = []
  for (const { name, section, rows } of sections) {
    const seen = new Map<string, { readonly place: Place; readonly text: string }>()
    let [again, first]: [number, Place | undefined] = [0, undefined]
    for (const { texts, place } of rows) {
      const identity = formatIdentity(name, (field) => texts.get(field))
      const text = JSON.stringify([...texts])
      const known = seen.get(identity)
      if (known !== undefined && known.text === text) {
        again++
        first ??= place
        continue
      }
      if (known !== undefined) {
        const other = `${known.place.file}:${known.place.line}`
        problems.push({ severity: 'error', message: `the same ${section.kind} is another one at ${other}`, place })
        continue
      }
      seen.set(identity, { place, text })
      const fact = toFact(texts, section.columns, (message) => {
        problems.push({ severity: 'error', message, place })
      })
      facts.push({ kind: section.kind, fact, place })
    }
    if (first !== undefined)
      findings.push({
        ...{ kind: 'note', file: first.file, line: first.line, what: name },
        reason: `${counted(again, 'row says', 'rows say')} the same as a row before, and each fact is written once`,
        nearest: 'nothing is to be done',
      })
  }
  return { facts, findings }
}

const formatIdentity = (name: SectionName, findText: (field: string) => string | undefined): string =>
  JSON.stringify(SECTIONS[name].identity.map((field) => findText(field) ?? null))

function toFact(
  texts: ReadonlyMap<string, string>,
  columns: ReadonlyMap<string, Column>,
  refuse: (message: string) => void,
): Readonly<Record<string, unknown>> {
  const fields: [string, unknown][] = []
  const attributes: [string, unknown][] = []
  for (const [field, { form, isAttribute }] of columns) {
    const text = texts.get(field)
    if (text === undefined) continue
    try {
      const value = readCell(text, form)
      if (isAttribute) attributes.push([field.slice('attributes.'.length), value])
      else fields.push([field, value])
    } catch (error) {
      refuse(`${field}: ${(error as Error).message}`)
    }
  }
  return Object.fromEntries([
    ...fields,
    ...(attributes.length > 0 ? [['attributes', Object.fromEntries(attributes)]] : []),
  ])
}

/** Whether the written facts are those of the rows, and no others. */
export function compareRows(sections: readonly ReadSection[], written: Partial<FactLists>, seed: number): Proof {
  const differences: Difference[] = []
  const sums = { asked: 0, allowed: 0, different: 0, wider: 0 }
  const differ = (question: string, isWritten: boolean): void => {
    sums.different++
    if (isWritten) sums.wider++
    const difference: Difference = { question, old: isWritten ? 'deny' : 'allow', new: isWritten ? 'allow' : 'deny' }
    if (differences.length < IMPORT_DIFFERENCES_MAX) differences.push(difference)
  }
  for (const name of Object.keys(SECTIONS) as SectionName[]) {
    const read = sections.find((each) => each.name === name)
    const list = (written[name] ?? []) as readonly Readonly<Record<string, unknown>>[]
    const left = new Map(
      list.map((fact) => [formatIdentity(name, (field) => toText(fact[field], findForm(name, field))), fact]),
    )
    const found = new Set<string>()
    for (const { texts, place } of read?.rows ?? []) {
      sums.asked++
      const identity = formatIdentity(name, (field) => texts.get(field))
      const fact = left.get(identity)
      if (fact !== undefined && read !== undefined && matchesRow(fact, texts, read.section.columns)) sums.allowed++
      else differ(`${place.file}:${place.line}: ${JSON.stringify(Object.fromEntries(texts))}`, false)
      found.add(identity)
    }
    for (const [identity, fact] of left) if (!found.has(identity)) differ(`${name}: ${JSON.stringify(fact)}`, true)
    // two facts that are one by their identity
    if (left.size < list.length) differ(`${name}: ${list.length - left.size} facts stand twice`, true)
  }
  const stated = sections.map(({ rows, section }) => `${counted(rows.length, 'row')} of ${section.file}`)
  const engine = 'the rows of the files'
  return { engine, universe: stated.join('; '), questions: sums.asked, seed, ...sums, differences }
}

const findForm = (name: SectionName, field: string): CellForm =>
  (SECTIONS[name].fields as Readonly<Record<string, { readonly form: CellForm }>>)[field]?.form ?? 'text'

function toText(value: unknown, form: CellForm): string | undefined {
  if (typeof value !== 'string') return undefined
  if (form === 'user') return decodeKey(value, 'user')
  if (form === 'key') return decodeKey(value)
  if (form !== 'object') return value
  const [type = '', key = ''] = value.split(':')
  return `${decodeKey(type)}:${decodeKey(key)}`
}

function matchesRow(
  fact: Readonly<Record<string, unknown>>,
  texts: ReadonlyMap<string, string>,
  columns: ReadonlyMap<string, Column>,
): boolean {
  const { attributes = {}, ...fields } = fact as { readonly attributes?: Readonly<Record<string, unknown>> }
  const values = new Map<string, unknown>([
    ...Object.entries(fields),
    ...Object.entries(attributes).map(([name, value]): [string, unknown] => [`attributes.${name}`, value]),
  ])
  if (values.size !== texts.size) return false
  return [...texts].every(([field, text]) => matchesCell(values.get(field), text, columns.get(field)?.form ?? 'text'))
}

// The table of variables in docs/operations.md, from their descriptions in src/cli/configuration/variables.
import { Environment } from '../../src/cli/configuration/env.ts'
import { schemaLabel } from '../../src/cli/configuration/variables/value-types.ts'
import { COMMANDS, variableFacts } from '../../src/cli/configuration/variables/variable.ts'
import type { TSchema } from '../../src/model/json-schema.ts'

const BEGIN = '| variable | value | default | read by | meaning |\n|---|---|---|---|---|\n'

/** The page with the table as it should be. */
export function withVariableTable(page: string): string {
  const start = page.indexOf('| variable |')
  const end = page.indexOf('\n\n', start)
  if (start < 0 || end < 0) throw new Error('docs/operations.md has no table that begins with `| variable |`')
  const rows = Object.entries<TSchema>(Environment.properties).map(([name, schema]) => formatRow(name, schema))
  return `${page.slice(0, start)}${BEGIN}${rows.join('\n')}${page.slice(end)}`
}

function formatRow(name: string, schema: TSchema): string {
  const { about, readBy, aliases = [], isSecret = false } = variableFacts(schema)
  const names = [name, ...aliases].map((each) => `\`${each}\``).join(', or ')
  const value = isSecret ? `${schemaLabel(schema)}; secret` : schemaLabel(schema)
  return `| ${names} | ${value} | ${formatDefault(schema)} | ${formatCommands(readBy)} | ${about} |`
}

function formatDefault(schema: TSchema): string {
  const { default: value, unset = '–' } = variableFacts(schema)
  if (value === undefined || unset !== '–') return unset
  if (typeof value === 'string' || typeof value === 'boolean') return `\`${value}\``
  if (schemaLabel(schema) === 'bytes') return `\`${inUnits(Number(value))}\``
  return schemaLabel(schema) === 'port' ? String(value) : Number(value).toLocaleString('en')
}

const inUnits = (bytes: number): string => (bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30}G` : `${bytes / 2 ** 20}M`)

/** Few commands by name; of nearly all, those that do not. */
function formatCommands(commands: readonly string[]): string {
  const others = COMMANDS.filter((command) => !commands.includes(command))
  const all = others.length < commands.length ? others : commands
  return `${others.length < commands.length ? 'all but ' : ''}${all.map((command) => `\`${command}\``).join(', ')}`
}

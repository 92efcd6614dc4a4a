// The reference at /docs: one page, rendered here from the OpenAPI document. It has no script and loads nothing, so that it reads the same
// without a network and gives no foreign code a place beside the API. Why not a library: docs/adr/0011-reference-page.md.
import { createHash } from 'node:crypto'
import type { OpenApiDocument, OpenApiOperation } from './openapi.ts'

type Schema = Readonly<Record<string, unknown>>

/** What the page is served with: nothing may load but its own style. */
export const DOCS_POLICY = () =>
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`

const STYLE = `
:root{color-scheme:light dark;--line:#8883;--soft:#8881;--text:#1b1f24;--back:#fff;--accent:#0a58ca}
@media(prefers-color-scheme:dark){:root{--text:#e6e6e6;--back:#16181c;--accent:#7ab0ff}}
*{box-sizing:border-box}body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back)}
.page{display:grid;grid-template-columns:15rem minmax(0,60rem);gap:2rem;padding:1.5rem}
nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto}
nav a{display:block;padding:.15rem .4rem;border-radius:.3rem}nav a:hover{background:var(--soft)}
a{color:var(--accent);text-decoration:none}h1{margin:.2rem 0}h2{margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
details{border:1px solid var(--line);border-radius:.4rem;margin:.4rem 0;background:var(--soft)}
summary{cursor:pointer;padding:.4rem .6rem;display:flex;gap:.6rem;flex-wrap:wrap;align-items:baseline}
summary span{opacity:.75;margin-left:auto}.in{padding:0 .8rem .8rem}
code,pre{font:13px/1.5 ui-monospace,Consolas,monospace}b.m{display:inline-block;min-width:4.2rem;font:700 12px ui-monospace,monospace}
.get{color:#1f7a34}.post{color:#0a58ca}.put,.patch{color:#a15c00}.delete{color:#c0262d}
table{border-collapse:collapse;width:100%;margin:.4rem 0}td,th{text-align:left;vertical-align:top;padding:.25rem .5rem;border-top:1px solid var(--line)}
@media(max-width:50rem){.page{grid-template-columns:1fr}nav{position:static;max-height:none}}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The whole page. */
export function docsPage(document: OpenApiDocument): string {
  const { title, description } = document.info as { title: string; description: string }
  const byTag = new Map<string, string[]>(document.tags.map(({ name }) => [name, []]))
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods))
      byTag.get(operation.tags[0] ?? '')?.push(entry(method, path, operation))
  }
  const sections = [...byTag].map(([tag, entries]) => `<h2 id="${slug(tag)}">${text(tag)}</h2>${entries.join('')}`)
  const links = [...byTag.keys()].map((tag) => `<a href="#${slug(tag)}">${text(tag)}</a>`)
  const objects = Object.entries(document.components.schemas as Record<string, Schema>)
  links.push('<a href="#objects">objects</a>')
  sections.push(`<h2 id="objects">objects</h2>${objects.map(([name, schema]) => objectEntry(name, schema)).join('')}`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(title)}</title><style>${STYLE}</style></head><body><div class="page"><nav>${links.join('')}</nav><main>
<h1>${text(title)}</h1><p>${prose(description)}</p><p>The same as data: <a href="/v2/openapi.json">/v2/openapi.json</a></p>
${sections.join('\n')}</main></div></body></html>`
}

function entry(method: string, path: string, operation: OpenApiOperation): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const schema = (requestBody as { content?: Record<string, { schema?: Schema }> } | undefined)?.content?.[
    'application/json'
  ]
  const rows = parameters.map((parameter) => {
    const of = parameter as { name: string; in: string; schema: Schema; description?: string }
    return row(of.name, `${of.in}: ${typeOf(of.schema)}`, of.description ?? '')
  })
  const given = rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`
  const body = schema?.schema === undefined ? '' : `<h4>Body</h4>${schemaTable(schema.schema)}`
  const answers = Object.entries(operation.responses).map(([status, of]) => answerRow(status, of as Schema))
  const answer = `<h4>Answer</h4><table>${answers.join('')}</table>`
  return `<details id="${slug(operationId)}"><summary><b class="m ${method}">${method.toUpperCase()}</b>
<code>${text(path)}</code><span>${text(summary)}</span></summary><div class="in"><p>${prose(description)}</p>${given}${body}${answer}</div></details>`
}

function answerRow(status: string, { description, content }: Schema): string {
  const schema = (content as Record<string, { schema?: Schema }> | undefined)?.['application/json']?.schema
  return typeof description !== 'string' || schema === undefined
    ? ''
    : `<tr><td>${text(status)}</td><td>${linked(typeOf(schema))}</td></tr>`
}

function objectEntry(name: string, schema: Schema): string {
  return `<details id="object-${slug(name)}"><summary><code>${text(name)}</code></summary><div class="in">${schemaTable(schema)}</div></details>`
}

/** A type in which the names of objects, in backticks, become links to them. */
const linked = (type: string): string =>
  text(type).replaceAll(/`(\w+)`/g, (_, name: string) => `<a href="#object-${slug(name)}">${name}</a>`)

function schemaTable(schema: Schema): string {
  const {
    properties,
    required = [],
    items,
  } = schema as {
    properties?: Record<string, Schema>
    required?: readonly string[]
    items?: Schema
  }
  if (properties === undefined)
    return items === undefined ? `<p>${text(typeOf(schema))}</p>` : `<p>a list of</p>${schemaTable(items)}`
  const rows = Object.entries(properties).map(([name, of]) =>
    row(
      name,
      `${typeOf(of)}${required.includes(name) ? ', required' : ''}`,
      `${prose(String(of.description ?? ''))}${inner(of)}`,
      true,
    ),
  )
  return `<table>${rows.join('')}</table>`
}

/** What is inside a member that is itself an object, or a list or map of objects. */
function inner(schema: Schema): string {
  const { properties, items, additionalProperties } = schema as Record<string, Schema | undefined>
  if (properties !== undefined) return schemaTable(schema)
  if (items?.properties !== undefined) return schemaTable(items)
  return typeof additionalProperties === 'object' && additionalProperties.properties !== undefined
    ? schemaTable(additionalProperties)
    : ''
}

/** In words; the names of objects stand in backticks. */
function typeOf(schema: Schema): string {
  const { type, enum: values, items, additionalProperties, $ref, anyOf, properties } = schema as Record<string, unknown>
  if (typeof $ref === 'string') return `\`${$ref.split('/').at(-1)}\``
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one as Schema)).join(' | ')
  const { data } = (properties ?? {}) as Record<string, Schema>
  if (data !== undefined) return `page of ${typeOf(data.items as Schema)}`
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  const name = [type ?? 'any'].flat().join(' | ')
  if (typeof items === 'object') return `${name} of ${typeOf(items as Schema)}`
  return typeof additionalProperties === 'object' ? `${name} of ${typeOf(additionalProperties as Schema)}` : name
}

function row(name: string, type: string, more: string, isHtml = false): string {
  return `<tr><td><code>${text(name)}</code></td><td>${linked(type)}</td><td>${isHtml ? more : prose(more)}</td></tr>`
}

const slug = (of: string): string => of.replaceAll(/[^A-Za-z0-9]+/g, '-')

/** Text in which `code` stands in backticks. */
const prose = (of: string): string => text(of).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const text = (of: string): string => of.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

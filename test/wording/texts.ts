// The texts of source files: strings, templates with their expressions as written, and what stands inside JSX elements.
// Comments, names, types and the paths of imports are none.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { lineAt, ROOT } from '../tidy/source.ts'

export interface Text {
  readonly path: string
  readonly line: number
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

/** Where no text is that people read. */
const SKIPPED = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSLiteralType',
  'TSTypeAnnotation',
])

/** Of each file of a folder. */
export function textsOfFolder(folder: string): Text[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .sort()
    .flatMap((name) => {
      const path = `${folder}/${name.replaceAll('\\', '/')}`
      return listTexts(path, readFileSync(join(ROOT, path), 'utf8'))
    })
}

/** Of one file. */
export function listTexts(path: string, source: string): Text[] {
  const texts: Text[] = []
  const add = ({ start }: Node, text: string): void => {
    const one = text.replace(/\s+/g, ' ').trim()
    if (/[a-z]/i.test(one)) texts.push({ path, line: lineAt(source, start), text: one })
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isNode(value) && !SKIPPED.has(value.type)) {
      if (value.type === 'Literal' && typeof value.value === 'string') add(value, value.value)
      else if (value.type === 'TemplateLiteral') add(value, source.slice(value.start + 1, value.end - 1))
      else if (value.type === 'JSXElement' || value.type === 'JSXFragment') add(value, inside(value, source))
      Object.values(value).forEach(visit)
    }
  }
  visit(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }))
  return texts
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** What an element says, without the elements in it. */
function inside({ children }: Node, source: string): string {
  return (children as readonly Node[])
    .map((child) => {
      if (child.type === 'JSXText') return child.value as string
      if (child.type !== 'JSXExpressionContainer') return ' … '
      const { expression } = child as unknown as { readonly expression: Node }
      if (expression.type === 'Literal') return String(expression.value)
      return expression.type === 'Identifier' ? source.slice(child.start, child.end) : '{…}'
    })
    .join('')
}

// Reads the files of the repository for the tidy test: their text, their text without comments and strings, and what
// they import. A small scanner instead of a compiler: it must know comments, strings, templates and regular
// expressions, and nothing else.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Import {
  readonly line: number
  /** as written */
  readonly specifier: string
  /** path from the root when the specifier is relative, else undefined */
  readonly target: string | undefined
  /** `import type`, which is gone at run time */
  readonly typeOnly: boolean
}

export interface SourceFile {
  /** path from the root, with `/` */
  readonly path: string
  readonly text: string
  /** same length and lines as `text`; comments and the contents of strings are blanks */
  readonly code: string
  /** same length and lines as `text`; only the comments are left */
  readonly comments: string
  readonly imports: readonly Import[]
}

/** Names that are left out wherever they stand, and paths from the root. */
const SKIPPED_NAMES = new Set(['node_modules', 'dist', '.git', 'package-lock.json'])
const SKIPPED_PATHS = new Set([
  'build',
  'coverage',
  'data',
  'LICENSE',
  'docs/.vitepress/cache',
  'docs/.vitepress/.temp',
])
const TEXT = /(\.(ts|mts|mjs|js|json|md|yml|yaml|sh)|(^|\/)(Dockerfile|run|\.\w+))$/

/** Every text file of the repository, as somebody who clones it sees it. */
export function readRepository(root: string = ROOT): SourceFile[] {
  const files: SourceFile[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name)
      if (SKIPPED_NAMES.has(entry.name) || SKIPPED_PATHS.has(path)) continue
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile() && TEXT.test(path)) files.push(readSource(path, readFileSync(join(root, path), 'utf8')))
    }
  }
  walk('')
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Takes one file apart. `path` is from the root of the repository. */
export function readSource(path: string, text: string): SourceFile {
  if (!/\.(ts|mts|mjs|js)$/.test(path)) return { path, text, code: text, comments: '', imports: [] }
  const { code, comments } = scan(text)
  return { path, text, code, comments, imports: findImports(path, text, code) }
}

/** The line, counted from 1, on which the character at `index` stands. */
export function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line++
  return line
}

const IMPORT = /\b(?:import|export)\b(?:[\s\w*{},$]*?\bfrom)?\s*(['"])|\bimport\s*\(\s*(['"])/g

function findImports(path: string, text: string, code: string): Import[] {
  const found: Import[] = []
  for (const match of code.matchAll(IMPORT)) {
    const quote = match[1] ?? match[2] ?? ''
    const start = match.index + match[0].length
    const specifier = text.slice(start, text.indexOf(quote, start))
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
    found.push({ line: lineAt(text, match.index), specifier, target, typeOnly: /^\w+\s+type\b/.test(match[0]) })
  }
  return found
}

/** A `/` after one of these, or at the start, begins a regular expression; elsewhere it divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|void|delete|throw|await|yield))\s*$/

function scan(text: string): { code: string; comments: string } {
  let code = ''
  let comments = ''
  const templates: number[] = [] // depth of braces of each template expression that is open
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ')
  const take = (length: number, kind: 'code' | 'string' | 'comment'): void => {
    const part = text.slice(at, at + length)
    // the quotes of a string stay in the code, so that imports are still seen
    code +=
      kind === 'code'
        ? part
        : kind === 'comment'
          ? blank(part)
          : part[0] + blank(part.slice(1, -1)) + (length > 1 ? part.at(-1) : '')
    comments += kind === 'comment' ? part : blank(part)
    at += length
  }
  let at = 0
  while (at < text.length) {
    const two = text.slice(at, at + 2)
    const one = two[0] ?? ''
    if (two === '//') take(findEnd(text, '\n', at) - at, 'comment')
    else if (two === '/*') take(findEnd(text, '*/', at + 2) + 2 - at, 'comment')
    else if (one === "'" || one === '"') take(closing(text, at, one) - at, 'string')
    else if (one === '`') at = template(at)
    else if (one === '}' && templates.at(-1) === 0) {
      templates.pop()
      at = template(at)
    } else if (one === '/' && BEFORE_REGEX.test(code.slice(-80))) take(closingRegex(text, at) - at, 'string')
    else {
      const depth = templates.length - 1
      if (depth >= 0 && one === '{') templates[depth] = (templates[depth] ?? 0) + 1
      if (depth >= 0 && one === '}') templates[depth] = (templates[depth] ?? 0) - 1
      take(1, 'code')
    }
  }
  return { code, comments }

  /** Takes template text from the quote or brace at `start` up to the closing quote, or up to an expression. */
  function template(start: number): number {
    let end = start + 1
    while (end < text.length && text[end] !== '`' && text.slice(end, end + 2) !== '${')
      end += text[end] === '\\' ? 2 : 1
    const opens = text[end] === '$'
    take(Math.min(end + (opens ? 2 : 1), text.length) - start, 'string')
    if (opens) templates.push(0)
    return at
  }
}

function findEnd(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found
}

function closing(text: string, start: number, quote: string): number {
  let end = start + 1
  while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1
  return Math.min(end + 1, text.length)
}

function closingRegex(text: string, start: number): number {
  let inClass = false
  for (let end = start + 1; end < text.length && text[end] !== '\n'; end++) {
    const char = text[end]
    if (char === '\\') end++
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) return end + 1
  }
  return start + 1
}

// The documentation site (docs/.vitepress): what its configuration promises, without a build of it. `npm run docs` makes
// the site, and fails on a dead link and on a page that would load something from another host.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { toAnchor } from '../docs/.vitepress/anchor.mts'
import { findForeign } from '../docs/.vitepress/foreign.mts'
import { SECTIONS } from '../docs/.vitepress/pages.mts'
import { ROOT } from './tidy/source.ts'

interface Site {
  readonly head?: unknown
  readonly ignoreDeadLinks?: unknown
  readonly buildEnd?: unknown
  readonly markdown: { readonly anchor: { readonly slugify: unknown } }
  readonly themeConfig: {
    readonly search: unknown
    readonly socialLinks?: unknown
    readonly sidebar: readonly { readonly text: string; readonly items: readonly { readonly link: string }[] }[]
  }
}

// by its address, so that the compiler does not look for VitePress, which is installed in docs/ only
const { default: site } = (await import(pathToFileURL(join(ROOT, 'docs/.vitepress/config.mts')).href)) as {
  default: Site
}
const names = SECTIONS.flatMap(([, pages]) => pages.map(([, name]) => name))

describe('the documentation site', () => {
  it('has each document of docs/ once in its navigation, the index and the decisions aside', () => {
    const documents = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
    const expected = [...documents.map((name) => name.replace(/\.md$/, '')), 'adr/README', 'bench/README']
    expect([...names].sort()).toEqual(expected.sort())
  })

  it('makes its navigation from the one list of pages', () => {
    const links = site.themeConfig.sidebar.flatMap(({ items }) => items.map(({ link }) => link))
    expect(links).toEqual(names.map((name) => `/${name}`))
  })

  it('searches locally, refuses dead links, and is checked for other hosts when it is built', () => {
    expect(site.themeConfig.search).toEqual({ provider: 'local' })
    expect(site.ignoreDeadLinks).toBeUndefined()
    expect(site.buildEnd).toBeTypeOf('function')
    // icons of social links are loaded from another host; elements of `head` could be
    expect([site.themeConfig.socialLinks, site.head]).toEqual([undefined, undefined])
  })

  it('gives headings the anchors that links between documents use', () => {
    expect(site.markdown.anchor.slugify).toBe(toAnchor)
    expect(toAnchor('503, and what a client does')).toBe('503-and-what-a-client-does')
    expect(toAnchor('Keys & PDPs')).toBe('keys--pdps')
  })

  it('has no image of another host in its documents', () => {
    const pages = ['README', ...names].map((name) => `docs/${name}.md`)
    const foreign = pages.filter((path) => /!\[[^\]]*\]\((?:https?:)?\/\//.test(readFileSync(join(ROOT, path), 'utf8')))
    expect(foreign).toEqual([])
  })
})

describe('findForeign', () => {
  it.each([
    ['a script', '<script async src="https://cdn.example.com/a.js"></script>', 'https://cdn.example.com/a.js'],
    ['a font', '<link rel="preload" href="//fonts.example.com/a.woff2" as="font">', '//fonts.example.com/a.woff2'],
    ['an image', '<img alt="" src="http://example.com/a.png">', 'http://example.com/a.png'],
    ['a rule of a style sheet', 'a{background:url(https://example.com/a.svg)}', 'https://example.com/a.svg'],
    ['an import of a style sheet', '@import "https://example.com/a.css";', 'https://example.com/a.css'],
  ])('finds %s of another host', (_, text, address) => {
    expect(findForeign(text)).toContain(address)
  })

  it('accepts links, and what comes from the site itself', () => {
    const text =
      '<a href="https://example.com">x</a><script src="/assets/a.js"></script><link href="/assets/a.css">url(/a.woff2)'
    expect(findForeign(text)).toEqual([])
  })
})

// Which mapping rule a request falls under: the form of the rules, and the ways to write one URL in two ways.
import { describe, expect, it } from 'vitest'
import type { UrlRule } from '../../src/model/objects.ts'
import { UrlRules } from '../../src/model/url-rules.ts'

const rule = (url: string, rest: Partial<UrlRule> = {}): UrlRule => ({
  url,
  url_type: null,
  http_method: 'get',
  resource: 'page',
  action: null,
  priority: null,
  ...rest,
})
const regex = (url: string, rest: Partial<UrlRule> = {}) => rule(url, { url_type: 'regex', ...rest })
const find = (rules: readonly UrlRule[], url: string, method = 'GET') => new UrlRules(rules).find(method, url)
const variables = (url: string, asked: string) => find([rule(url)], asked)?.variables

describe('a template', () => {
  it.each<[string, string, object | undefined]>([
    ['https://api.acme.com/users', 'https://api.acme.com/users', {}],
    ['https://api.acme.com/users/{id}', 'https://api.acme.com/users/7', { id: '7' }],
    ['https://api.acme.com/{a}/x/{b}', 'https://api.acme.com/1/x/2', { a: '1', b: '2' }],
    ['https://api.acme.com/{__proto__}', 'https://api.acme.com/1', JSON.parse('{"__proto__":"1"}')],
    ['https://api.acme.com/users', 'https://api.acme.com/users/7', undefined],
    ['https://api.acme.com/users/{id}', 'https://api.acme.com/users', undefined],
    ['https://api.acme.com/users/{id}', 'https://api.acme.com/users/', undefined],
    ['https://api.acme.com/users', 'https://api.acme.com/Users', undefined],
    ['https://api.acme.com/users', 'http://api.acme.com/users', undefined],
    ['https://api.acme.com/users', 'https://api.acme.org/users', undefined],
    ['https://api.acme.com/users', '/users', undefined],
    ['/users/{id}', 'https://anywhere/users/7', { id: '7' }],
    ['/users/{id}', '/users/7', { id: '7' }],
    ['https://acme.com', 'https://acme.com/', {}],
  ])('%s asked for %s', (url, asked, expected) => {
    expect(variables(url, asked)).toEqual(expected)
  })

  it.each<[string, string, object | undefined]>([
    ['/a', '/a?x=1', {}],
    ['/a?x=1', '/a?x=1', {}],
    ['/a?x=1', '/a?y=2&x=1', {}],
    ['/a?x={v}', '/a?x=1%202', { v: '1 2' }],
    ['/a?x={v}', '/a?x=1+2', { v: '1 2' }],
    ['/a?x=1', '/a?x=2', undefined],
    ['/a?x=1', '/a', undefined],
    ['/a?x={v}', '/a?x=', undefined],
    ['/a?x={v}', '/a?y=1', undefined],
    // which of the two the application reads is not known
    ['/a?x=1', '/a?x=1&x=2', undefined],
    ['/a?x={v}', '/a?x=1&x=1', undefined],
  ])('with a query: %s asked for %s', (url, asked, expected) => {
    expect(variables(url, asked)).toEqual(expected)
  })

  it('a variable that stands twice is the same twice', () => {
    expect(variables('/{a}/{a}', '/1/1')).toEqual({ a: '1' })
    expect(variables('/{a}/{a}', '/1/2')).toBeUndefined()
    expect(variables('/{a}?b={a}', '/1?b=2')).toBeUndefined()
  })

  it('one URL written in two ways is one URL', () => {
    for (const asked of ['https://ACME.com/admin', 'HTTPS://acme.com:443/%61dmin', 'https://me@acme.com/admin#top'])
      expect(variables('https://acme.com/admin', asked), asked).toEqual({})
  })

  it('what servers read in different ways is under no rule', () => {
    const rules = [rule('/{a}/{b}/{c}'), rule('/{a}/{b}'), rule('/{a}'), regex('.*')]
    for (const asked of [
      '/a/../b',
      '/a/%2e%2e/b',
      '/.',
      '/a%2fb',
      '/a%5cb',
      '/a\\b',
      '/a b',
      '/a\tb',
      '/a%',
      '/a?b=%zz',
    ])
      expect(find(rules, asked), asked).toBeUndefined()
    expect(find(rules, '/a/b/c')).toBeDefined()
  })
})

describe('a regular expression', () => {
  it('fits the whole URL, and its named groups are the variables', () => {
    const rules = [regex('https://acme\\.com/users/(?P<id>[0-9]+)(/(?P<part>[a-z]+))?')]
    expect(find(rules, 'https://acme.com/users/7')?.variables).toEqual({ id: '7' })
    expect(find(rules, 'https://acme.com/users/7/name')?.variables).toEqual({ id: '7', part: 'name' })
    expect(find(rules, 'https://acme.com/users/7/name/secret')).toBeUndefined()
    expect(find(rules, 'xhttps://acme.com/users/7')).toBeUndefined()
  })

  it('sees letters that were encoded', () => {
    const rules = [regex('/(?P<page>[a-z]+)'), regex('/admin', { priority: 1, resource: 'admin' })]
    expect(find(rules, '/%61dmin')?.rule.resource).toBe('admin')
  })

  it('that cannot run is under no rule, and the others go on', () => {
    expect(find([regex('(', { priority: 5 }), rule('/a')], '/a')?.rule.url).toBe('/a')
    expect(find([regex('(a)\\1')], 'aa')).toBeUndefined()
  })

  it('takes time that grows with the URL alone, whatever it is', () => {
    const rules = Array.from({ length: 20 }, (_, at) => regex(`(?:(a|aa|a+)+){${at + 1}}b`))
    expect(find(rules, 'a'.repeat(4_000))).toBeUndefined()
    expect(find(rules, `/${'a'.repeat(5_000)}`)).toBeUndefined()
  })
})

describe('several rules', () => {
  it('the method counts, in any case of letters', () => {
    const rules = [rule('/a', { http_method: 'post', action: 'write' }), rule('/a', { action: 'read' })]
    expect(find(rules, '/a', 'POST')?.rule.action).toBe('write')
    expect(find(rules, '/a', 'get')?.rule.action).toBe('read')
    expect(find(rules, '/a', 'delete')).toBeUndefined()
  })

  it('the highest priority goes first, templates and patterns alike; equal ones stay in their order', () => {
    const rules = [
      rule('/{page}', { action: 'any' }),
      regex('/a.*', { action: 'pattern', priority: 2 }),
      rule('/abc', { action: 'one', priority: 3 }),
      rule('/abc', { action: 'two', priority: 3 }),
      rule('/{page}', { action: 'last', priority: -1 }),
    ]
    expect(find(rules, '/abc')?.rule.action).toBe('one')
    expect(find(rules, '/abd')?.rule.action).toBe('pattern')
    expect(find(rules, '/xyz')?.rule.action).toBe('any')
  })
})

// What a page loads with `zerohop/browser` and `zerohop/react`: bundled for browsers as an application does it, with
// nothing of Node.js, no WASM and no package but React. Needs the build.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { ROOT } from '../tidy/source.ts'

/** The bundle of a page that uses all of an entry. @throws where it cannot be made for a browser */
async function bundle(door: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(ROOT, `dist/bundle/${door}.js`)],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['react'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  return { bytes: outputFiles[0]!.contents, packages: output!.imports.map(({ path }) => path) }
}

it('`zerohop/browser` is a page of at most 4 KB, and asks for nothing else', async () => {
  const { bytes, packages } = await bundle('browser')
  const compressed = gzipSync(bytes, { level: 9 }).length
  process.stdout.write(`zerohop/browser: ${compressed} bytes compressed, ${bytes.length} minified\n`)
  expect(compressed).toBeLessThanOrEqual(4096)
  expect(packages).toEqual([])
  expect(Buffer.from(bytes).toString()).not.toMatch(/WebAssembly|eval\(|new Function|process\.|require\(/)
})

it('`zerohop/browser` is made of its own files and of those of filters and the model: none is about images', async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'dist/src/browser.js')],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const files = Object.keys(metafile.inputs)
  expect(files).toContain('dist/src/model/instant.js')
  expect(files.filter((file) => !/^dist\/src\/(browser\.js$|(browser|filters|model)\/)/.test(file))).toEqual([])
})

it('`zerohop/react` asks for React alone, is for the client, and has at most 7 KB', async () => {
  const { bytes, packages } = await bundle('react')
  const compressed = gzipSync(bytes, { level: 9 }).length
  process.stdout.write(`zerohop/react: ${compressed} bytes compressed, ${bytes.length} minified\n`)
  expect(compressed).toBeLessThanOrEqual(7168)
  expect([...new Set(packages)]).toEqual(['react'])
  expect(Buffer.from(bytes).toString()).toMatch(/^"use client"/)
})

it('a page cannot be made of what needs Node.js', async () => {
  await expect(bundle('index')).rejects.toThrow(/node:/)
})

it('a page that uses the hooks about members alone loads none of the snapshots', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export { useAccessRequests, useInvites, useMembers, useOfferedPermissions, useRequestableRoles, useTenantRoles } from './dist/bundle/react.js'",
      resolveDir: ROOT,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['react'],
    write: false,
    logLevel: 'silent',
  })
  const compressed = gzipSync(outputFiles[0]!.contents, { level: 9 }).length
  process.stdout.write(`the hooks about members: ${compressed} bytes compressed\n`)
  expect(compressed).toBeLessThanOrEqual(2048)
})

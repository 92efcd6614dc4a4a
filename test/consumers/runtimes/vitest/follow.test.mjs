import { test } from 'vitest'
import { follow } from '../follow.mjs'

test('follows', () => follow(JSON.parse(process.env.FOLLOW)), 600_000)

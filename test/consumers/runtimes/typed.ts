import { follow } from './follow.mjs'

const options: { url: string; apiKey: string; driver: string; name: string } = JSON.parse(process.env.FOLLOW ?? '{}')
void follow(options)

import { follow } from './follow.mjs'

void follow(JSON.parse(process.env.FOLLOW))

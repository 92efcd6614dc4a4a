// A process with one image and nothing else, which prints its memory: node hold-image.mjs FILE
import { loadImage } from '../../dist/src/index.js'

const before = process.memoryUsage().rss
const pdp = await loadImage(process.argv[2], { verify: false })
pdp.check('user-000001', 'action-1', { type: 'resource-01', tenant: 'tenant-001' })
console.log(JSON.stringify({ before, rss: process.memoryUsage().rss }))

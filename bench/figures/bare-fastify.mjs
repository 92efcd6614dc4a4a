// What the start of a server is held against: a process that loads Fastify, listens, and answers each check the same.
import fastify from 'fastify'

const server = fastify()
server.post('/allowed', () => ({ allow: true }))
await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })

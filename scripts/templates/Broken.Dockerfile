# Wrong on purpose: `npm run lint:templates` fails if the linters do not see it.
FROM node:latest
RUN cd /app
CMD node main.js

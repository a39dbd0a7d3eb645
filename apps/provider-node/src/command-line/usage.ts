export const usage = `svc-provider sells chat completions on an svc marketplace.

  svc-provider <command> [options]

  init                 writes a file to begin with, and a new wallet's key beside it
  serve                runs the node of the file: a demo engine, or the way to your model server
  register             makes the wallet and its name known to the market
  offer [NAME…]        offers what the file says, as far as it is new or changed, and follows the certification
  withdraw NAME…       takes offers off the market, by their name in the file or their id
  status               shows your offers: state, price, certification, health
  earnings             shows what was earned, by day, and what can be claimed

  --file FILE          the provider's file (svc-provider.yaml)
  --url URL            the market, instead of the one in the file
  --json               one JSON document instead of words
  --help, --version

  init      --name NAME      the provider's name
            --key-file FILE  a key that exists already
  offer     --no-wait        does not follow the certification
            --exact          withdraws what is on offer and not in the file
  withdraw  --all            everything
  earnings  --days N         how far back (30)
            --claim          has the contract pay out what is payable, with the wallet's gas, through chain.rpc_url

  From the environment: SVC_PROVIDER_KEY (the wallet's private key, instead of the file's), SVC_PROVIDER_PASSWORD (of an
  encrypted key), and what the file names as \${NAME}.

  Exit codes: 0 done, 1 refused or failed, 2 called or configured wrongly.
`;

import type { Network } from '../src/network.ts'
import type { ShieldedPool } from '../src/shielded-pool.ts'

// Fixtures, recorded when the official vectors passed. They cover the same code paths without the vectors.

export interface KeyFixture {
  readonly network: Network
  readonly coinType: number
  readonly account: number
  readonly seed: string
  readonly sk: string
  /** named as in the official key component vectors */
  readonly components: Readonly<Record<string, string>>
  readonly ufvk: string
  readonly uivk: string
  /** one for each of FIXTURE_INDICES */
  readonly addresses: readonly string[]
}

/** The diversifier indices of the addresses of every key. */
export const FIXTURE_INDICES: readonly bigint[] = [0n, 1n, 123456789n, 309485009821345068724781055n]

export const KEY_FIXTURES: readonly KeyFixture[] = [
  {
    network: 'main',
    coinType: 133,
    account: 0,
    seed: '0104070a0d101316191c1f2225282b2e3134373a3d404346494c4f5255585b5e',
    sk: 'ba6383ef42fec4435393ab4bf2f2a6509cb614c3e3a0cb74f14445b1afc91499',
    components: {
      ak: 'cd2d9cf8d69bd9ba1a3bfc00817dcaeceae13ad922a1a233902a8bc466326921',
      nk: 'd10db6806c275adc72512374405c040ac7d84c0831c04b11b0bd031860f2cc0d',
      rivk: '8e98bfbfc1656b5c51abef81ae50e893502a0d082db06041f306b69d0677e80b',
      ivk: '2458a46ef4a5213adcc552bb8881eccc74fac19bc0d7b1da9e9f5f4684684f26',
      ovk: 'f4df71c721744acdd4049db842a2686a0255a97813c608cad5e2a271d29d68c3',
      dk: '2857a3c761e9771743ab01942ffcbdd0a6a87e56367fb5f983e79be9ebf84825',
      default_d: '136b5f327cd10f7fdf0fc0',
      default_pk_d: '24fc00b724bf17ddae168b6309c9426959921609331e7513c8ad3098ff38cb15',
      internal_ivk: '339e8c22745cbbb9234799431cce08ae0ec8ea3784ad28325402d47436216a1d',
      internal_ovk: '96e8061b0c78d58692ca2f453e822c0aa490ef7d5bf4c881a54d5fb19d6d9b32',
      internal_dk: '1eff147bf7ab10dd0ae41babd12c1e6ed8b5738f817d998d1f65c865cbb1e8b1',
    },
    ufvk: 'uview1dp52cmd7cr23c5xjmd9g768kpa9ggpcrgyeee5k80pg8ek49plsee7pjerv4h4xzq9x0dhgrgm6cm3xsxpayux0pa3jumtawqdl6pufvrknhxcjcaylfr623cgkg4khku0gj58vqvs79t3lps67m06l6849qe6yszhusw9d4us7c75g7pxm22scvm24d6',
    uivk: 'uivk1uj38s2j7tgss5dcs6lsh8xxryedjs64kt0chenve80yf3qju4k2c4m6ktyzw4ep62ce4xlxs6f7cagx8rw022h5lt6j26hlrtc50s8ymcsjc22q65paxy3dk8fpak8sdlt9s7yntzc',
    addresses: [
      'u1u7jkpgmj8xvdhdnhhlglct93ant5pc6dve7qa4v0w7p9as80z7ydqamccjnu2tc66x5hqdxc4q2p469p76jgkpawetkvvgvpv576m9yq',
      'u1kcqzhl4fezaye4mwk0fc2k5jeqe6h4fwl0zv5rgl6r0qsv8xgzkeygr4e8hvq82gyu9y3ppu6j2dkkdj5syslv5hzs7jjxyzruudhm9d',
      'u1fdr6r3h2mf2k8p4ksx4x7q0zm2n8950pxyucqet6ycvd03j6l52zu0sutzxk7lpa6edqcf5hqcvya47jmayerqdsslzq03krp5f32289',
      'u189anpqsw4d2rq2u23fe6qcemhgxseysdxd8fsapur24g6h3zemw39pd4dw49xgjunhq3qd38v022f62dhxw78wk4dd6g502ddgq6g2y7',
    ],
  },
  {
    network: 'regtest',
    coinType: 1,
    account: 7,
    seed: 'fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0dfdedddcdbdad9d8d7d6d5d4d3d2d1d0cfcecdcccbcac9c8c7c6c5c4c3c2c1c0',
    sk: 'ce360cbe699478f049dce47dbbc7ef2c83c07db571499cf7739e94ab10bf3f85',
    components: {
      ak: '7a0e3a0c5ee9dc71c8d959d8756fb5ec985db666366613a4f3aad16259b35400',
      nk: '5361de673a22f5aaf23bddb75bbdefe7c3c6ffc0fa2ea33e5f1719160b66af10',
      rivk: '7d3be92e4528562597cb909b940cf871ce9fc8c794dca61d4b20d07e03dc870c',
      ivk: 'd52982ee7a4d69a738ba38ef8654cf1517faa1dfcbf94796bf85f2a2829c0315',
      ovk: '380ed61ffeb6018b1b3410f6f5c00ccbb087d157f2d5658479293d7236d1482d',
      dk: '0e19d0f9c5373633eaf1b50fb5abaf917a722fd8ebfad702e1673ef29b79ee77',
      default_d: '79dc7fd9ff73e7d1d94adb',
      default_pk_d: 'de48d5503ef94d01e5eba1d127caa627caf7c0c1bce827b4f2e9232aa7751116',
      internal_ivk: '16a6a7d665b33c43f486ee201724c4c6d224c5f5759983047499b4f12fa4fd37',
      internal_ovk: 'aa421325debab79bfc87663849f903b32bf7690d40220ee79d83768bc842786b',
      internal_dk: 'c24dba839062320adeb3c075fdb9c062400faa2b6b262c5192ab5ebef328c97d',
    },
    ufvk: 'uviewregtest17sqgaenwp6dg3fu3ekft0xxtku37f8kd3dkgk7kl0u3a2r8ku20xuaq5936c04958rvzez33egdyqtl39wzcw54ycexe6zdvqfugxhkefpfts6eqv3jk5qnc7ewvatferylx6yp2g9s99kamztsqtltg6wyckl5tuw6j0jsc65958kcd3u6f0tcd8pn4s',
    uivk: 'uivkregtest19js6c8vcd96p0ttn07kjdk2ruxg385spdl5pljy49swzgsz6e3ryxxrnwsr8nrf8rljv9cxdhtpuspfczqqakjul3aw3e5fh4vjwkuu98he58wnvr0vvlwppu3ysntl2t5dsx95w62',
    addresses: [
      'uregtest135lxj5ew0vvzmlkaj20ge99q3n2ajs6r84ne2h7yet00a7nvgggpxes3tsdedpz9vseqg3zdfkua8vq3r4a55xgfpzl2ngxrhcq0cuue',
      'uregtest1lehj2aeddxas9mp8srj2k274fdkkc6ys7537u6xdh44nylkmfldle5345jcwruq3uasuryr7a0f73gtsxyyknqjuch509rxs5g865lem',
      'uregtest1a6uawy6kwdrrnlqezymgrwayr23q7fa9h4s756ajhdp43685yqelv83gu5gmq88ju3gcnpzl7axshcmvrx8mtuuhr23uhynz9cuu2zdh',
      'uregtest1fyhqvz6mg0lcs5hh67rvu55dv77rstd5m0uhpkg7atg3pzfkj4k9qfzl4aq0vwh8acd00j7a4yatcrwv3pcw7we34myeejdey5k8fy3k',
    ],
  },
]

export interface NoteFixture {
  readonly pool: ShieldedPool
  /** the index of the receiving key in KEY_FIXTURES */
  readonly key: number
  readonly index: bigint
  readonly value: bigint
  readonly memo: string
  readonly rho: string
  readonly rseed: string
  readonly cvNet: string
  readonly rk: string
  readonly cmx: string
  readonly ephemeralKey: string
  /** the first 52 bytes of encCiphertext */
  readonly ciphertext: string
  /** BLAKE2b-256 of encCiphertext */
  readonly encHash: string
  /** BLAKE2b-256 of outCiphertext */
  readonly outHash: string
}

export const NOTE_FIXTURES: readonly NoteFixture[] = [
  {
    pool: 'orchard',
    key: 0,
    index: 0n,
    value: 1n,
    memo: '',
    rho: '050c131a21282f363d444b525960676e757c838a91989fa6adb4bbc2c9d0d71e',
    rseed: '030e19242f3a45505b66717c87929da8b3bec9d4dfeaf5000b16212c37424d58',
    cvNet: '24fc00b724bf17ddae168b6309c9426959921609331e7513c8ad3098ff38cb15',
    rk: 'de48d5503ef94d01e5eba1d127caa627caf7c0c1bce827b4f2e9232aa7751116',
    cmx: 'e0f55e225da90124cdc60e57c95da2bf552ad81b39f98f8915e1508ebbb8a434',
    ephemeralKey: '6f1e46714057e48bb6bcf237b3efef4221c9ec6e90c0de939a1b25f365de3290',
    ciphertext:
      'a9d00cd6233fac013460b00130e126b0c5bf5ae71cbf9db0e7abd734cbfbc749b0d81e5cb472eafe0814c488f995fab9cba1e077',
    encHash: 'ea5c13a82220057bd380dc83d93cc59b9f9b93a710a11424a48a3f010092ec0d',
    outHash: 'd452beb06a1b2b0fd3b0147a2cef7f3032df3382d1f4f10f4a4437d8be8b9a89',
  },
  {
    pool: 'ironwood',
    key: 0,
    index: 1n,
    value: 2100000000000000n,
    memo: 'Danke ☕',
    rho: '242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3dae1e8eff63d',
    rseed: '141f2a35404b56616c77828d98a3aeb9c4cfdae5f0fb06111c27323d48535e69',
    cvNet: '24fc00b724bf17ddae168b6309c9426959921609331e7513c8ad3098ff38cb15',
    rk: 'de48d5503ef94d01e5eba1d127caa627caf7c0c1bce827b4f2e9232aa7751116',
    cmx: '00ccd5ff59db9030a769f94ac63cf9b61ca0dc185537674a61d6519e948e3b20',
    ephemeralKey: 'd2697dc877cee08981947ec042d217f6fb0e005e33bfd4e26927c9e062992c1d',
    ciphertext:
      '5cfa52153dbf8d9e29108babea22774251dfa061e0d8b315a1aa4035e2565d3b4be767c6a759e33a4495695a32d2233c8a4796ce',
    encHash: '63d42b73197325a245173ca058f87c4d9e8ee3bf4f721bbd675ac94bd39547e2',
    outHash: '92000d14fa26e5c13bc23fd0f5a297b22ce90971fb268c75bef0bfcef10c833c',
  },
  {
    pool: 'orchard',
    key: 1,
    index: 309485009821345068724781055n,
    value: 9007199254740993n,
    memo: 'invoice 7f',
    rho: '434a51585f666d747b828990979ea5acb3bac1c8cfd6dde4ebf2f900070e151c',
    rseed: '25303b46515c67727d88939ea9b4bfcad5e0ebf6010c17222d38434e59646f7a',
    cvNet: 'de48d5503ef94d01e5eba1d127caa627caf7c0c1bce827b4f2e9232aa7751116',
    rk: '24fc00b724bf17ddae168b6309c9426959921609331e7513c8ad3098ff38cb15',
    cmx: 'da23a9a9acd8b8eb02e793eac30de6ae1385b2d4d573d67db7fc6833b002aa11',
    ephemeralKey: '6592fba844499d6427a5d6fe9fac92f922dec60cd6ea6ac59628247672a25c06',
    ciphertext:
      '0f0ec9ff2d8d3daeb4da84e3531c99cc57846fd0ddc5d50fc70433d8031a150e2ba907ad3899bda8b268877ebf8e80834a9041b6',
    encHash: '29cc6f8f0bdd26005a81be6a2b6be2dfc8f5beea4db29230e1f8a3197255515d',
    outHash: 'f26eac5237ed853db56723d100c65878a40d7f985acec256a72d3d1901332242',
  },
  {
    pool: 'ironwood',
    key: 1,
    index: 123456789n,
    value: 18446744073709551615n,
    memo: 'x'.repeat(512),
    rho: '626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef5fc030a11181f262d343b',
    rseed: '36414c57626d78838e99a4afbac5d0dbe6f1fc07121d28333e49545f6a75808b',
    cvNet: 'de48d5503ef94d01e5eba1d127caa627caf7c0c1bce827b4f2e9232aa7751116',
    rk: '24fc00b724bf17ddae168b6309c9426959921609331e7513c8ad3098ff38cb15',
    cmx: '63c3d09f88c82fa90859e972dbdea35cd0a4e5059095e98a9202e11f2dc75b1c',
    ephemeralKey: '29d0b75882065bb0e9c030127989136683e5fd82bf283a53903ddfae5ac07c2a',
    ciphertext:
      '27a0f66159ec2b65839e07c95f408ad4c494c3b6f4479a70f4082738efe5ede8a792335f709b30e749372565bb678aebca7e0656',
    encHash: '34d1f9c56667663a684a45df41dcf14fab69f281a0885287993d87b62edd3457',
    outHash: 'bd0c277917e1f697848d854ffc5108f72ddea7d5884414709ca2c0123e7c8986',
  },
]

from warprace import main

main()

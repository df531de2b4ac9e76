// A node and, before it, the gateway that nodes are built with: Go's grpc-gateway v1, printing as a Cosmos node does.
// `echo node` answers gRPC, `echo gateway ADDRESS` asks it. Each prints the address that it listens on.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"echo/echo"

	"github.com/grpc-ecosystem/grpc-gateway/runtime"
	"google.golang.org/grpc"
)

type server struct{}

func (server) Params(context.Context, *echo.QueryParamsRequest) (*echo.QueryParamsResponse, error) {
	return &echo.QueryParamsResponse{Params: &echo.Params{Ixo1155ContractCode: 25}}, nil
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr().String())
	if os.Args[1] == "node" {
		node := grpc.NewServer()
		echo.RegisterQueryServer(node, server{})
		check(node.Serve(listener))
	}
	mux := runtime.NewServeMux(runtime.WithMarshalerOption(
		runtime.MIMEWildcard, &runtime.JSONPb{OrigName: true, EmitDefaults: true}))
	check(echo.RegisterQueryHandlerFromEndpoint(
		context.Background(), mux, os.Args[2], []grpc.DialOption{grpc.WithInsecure()}))
	check(http.Serve(listener, mux))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
